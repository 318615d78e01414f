//! Pictures that the user shows with a prompt: taken in, kept by their hash, and found again for every later request.

pub(crate) mod attaching;

use crate::Records;
use arki_api::PictureFacts;
use arki_domain::projection::Transcript;
use arki_domain::{Code, Content, ContentKind, Error, Image, MAX_IMAGE_BYTES};
use arki_llm::{ModelInfo, image_tokens};
use arki_tools::{decode_picture, picture_too_large, sendable_picture};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use std::collections::BTreeMap;

/// Pictures of one prompt.
pub const MAX_IMAGES: usize = 20;
/// The largest picture that can be attached where it is scaled down before it is sent, in bytes and in pixels.
const MAX_SOURCE_BYTES: usize = 20 << 20;
const MAX_SOURCE_PIXELS: u64 = 50_000_000;

/// Pictures that are fit to be shown: their contents, and how messages speak of them.
pub(crate) fn read(images: Vec<Vec<u8>>) -> Result<(Vec<Content>, Vec<Image>), Error> {
    ensure_not_too_many(images.len())?;
    images.into_iter().map(read_one).collect::<Result<Vec<_>, _>>().map(|read| read.into_iter().unzip())
}

fn read_one(bytes: Vec<u8>) -> Result<(Content, Image), Error> {
    let (image, bytes) = sendable_picture(bytes)?;
    Ok((Content { hash: image.content_hash.clone(), bytes, kind: ContentKind::Plain }, image))
}

fn unusable(what: String, hint: &str) -> Error {
    Error::new(Code::USAGE, what, hint)
}

/// Reads what there is to know of a picture. Nothing is kept.
fn facts(bytes: &[u8]) -> Result<PictureFacts, Error> {
    let picture = decode_picture(bytes, MAX_SOURCE_BYTES, MAX_SOURCE_PIXELS)?;
    Ok(PictureFacts {
        media_type: picture.media_type.to_owned(),
        bytes: bytes.len(),
        width: picture.size.width,
        height: picture.size.height,
        tokens: image_tokens(Some(picture.size)),
    })
}

/// Decodes pictures as they come from a client. Longer text than the largest picture has isn't looked at.
///
/// # Errors
/// `USAGE` where they are too many or too large, or no Base64.
pub(crate) fn from_base64(pictures: &[String]) -> Result<Vec<Vec<u8>>, Error> {
    ensure_not_too_many(pictures.len())?;
    pictures.iter().map(|data| decoded(data, MAX_IMAGE_BYTES)).collect()
}

fn decoded(data: &str, max_bytes: usize) -> Result<Vec<u8>, Error> {
    if data.len() > max_bytes.div_ceil(3) * 4 {
        return Err(picture_too_large(&format!("of about {} MB", data.len() / 4 * 3 / 1_000_000), max_bytes));
    }
    let broken = |_| unusable("The picture did not arrive whole.".to_owned(), "Attach it again.");
    BASE64_STANDARD.decode(data).map_err(broken)
}

fn ensure_not_too_many(count: usize) -> Result<(), Error> {
    if count <= MAX_IMAGES {
        return Ok(());
    }
    let message = format!("{count} pictures are too many for one message.");
    Err(Error::new(Code::USAGE, message, format!("Show up to {MAX_IMAGES} at once.")))
}

/// # Errors
/// `USAGE` for what is no picture that models can see, or too large.
pub(crate) fn ensure_picture(bytes: &[u8]) -> Result<(), Error> {
    read_one(bytes.to_vec()).map(drop)
}

/// Fails where the model is known not to see: it would answer as if nothing was shown, or not at all.
pub(crate) fn ensure_seen_by(model: &ModelInfo) -> Result<(), Error> {
    if !model.is_blind() {
        return Ok(());
    }
    let hint = "Choose a model with the ability “vision” (`arki models`), or add it to the model in config.json.";
    Err(Error::new(Code::USAGE, format!("{}/{} can't see pictures.", model.provider, model.model), hint))
}

/// Returns the images that are still kept: those of an imported session are not.
pub(crate) fn kept_images(records: &Records, transcript: &Transcript) -> Result<BTreeMap<String, Bytes>, Error> {
    let mut images = BTreeMap::new();
    for image in transcript.images() {
        if let Some(bytes) = records.reader().contents().blob(&image.content_hash)? {
            images.insert(image.content_hash.clone(), Bytes::from(bytes));
        }
    }
    Ok(images)
}

/// Looks at a picture, in Base64, before it is scaled down or sent. Blocking.
///
/// # Errors
/// `USAGE` for what is no picture that models can see, or too large even to be scaled down.
pub fn look_at_picture(data: &str) -> Result<PictureFacts, Error> {
    facts(&decoded(data, MAX_SOURCE_BYTES)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{DynamicImage, ImageFormat};
    use std::io::Cursor;

    fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        let mut out = Cursor::new(Vec::new());
        DynamicImage::new_rgb8(width, height).write_to(&mut out, format).unwrap();
        out.into_inner()
    }

    #[test]
    fn a_picture_is_known_by_how_it_begins() {
        let media_type = |bytes: &[u8]| read_one(bytes.to_vec()).map(|(_, image)| image.media_type);
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
            assert_eq!(media_type(&picture(3, 2, format)).unwrap(), format.to_mime_type());
        }
        assert!(media_type(b"%PDF-1.7").unwrap_err().is(Code::USAGE));
        assert!(media_type(b"").unwrap_err().is(Code::USAGE));
        assert!(media_type(&[0x89; MAX_IMAGE_BYTES + 1]).unwrap_err().is(Code::USAGE));
    }

    fn png(width: u32, height: u32) -> Vec<u8> {
        picture(width, height, ImageFormat::Png)
    }

    #[test]
    fn a_picture_is_looked_at_by_its_bytes_and_its_pixels() {
        let told = facts(&png(1500, 1000)).unwrap();
        assert_eq!((told.media_type.as_str(), told.width, told.height, told.tokens), ("image/png", 1500, 1000, 1600));
        let image = read_one(png(300, 100)).unwrap().1;
        assert_eq!(image.size.map(|size| (size.width, size.height)), Some((300, 100)));
        assert!(facts(b"\x89PNG\r\n\x1a\ncut off").unwrap_err().message.contains("damaged"));
        let long = [png(10, 10), vec![0; MAX_SOURCE_BYTES]].concat();
        assert!(facts(&long).unwrap_err().hint.contains("20 MiB"));
    }

    #[test]
    fn pictures_of_a_client_are_bounded_before_they_are_decoded() {
        let sent = BASE64_STANDARD.encode(png(1, 1));
        assert_eq!(from_base64(std::slice::from_ref(&sent)).unwrap(), [png(1, 1)]);
        assert!(from_base64(&["no base64!".to_owned()]).unwrap_err().is(Code::USAGE));
        assert!(from_base64(&vec![sent; MAX_IMAGES + 1]).unwrap_err().message.contains("21 pictures"));
        let largest = vec![0_u8; MAX_IMAGE_BYTES];
        assert_eq!(from_base64(&[BASE64_STANDARD.encode(&largest)]).unwrap()[0].len(), MAX_IMAGE_BYTES);
        assert!(from_base64(&["A".repeat(MAX_IMAGE_BYTES * 2)]).unwrap_err().hint.contains("5 MiB"));
    }
}
