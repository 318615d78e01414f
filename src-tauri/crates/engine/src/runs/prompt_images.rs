//! Pictures that the user shows with a prompt: taken in, kept by their hash, and found again for every later request.

use crate::runs::Runs;
use arki_domain::projection::Transcript;
use arki_domain::{Code, Content, ContentKind, Fault, Image, sha256_hex};
use arki_llm::ModelInfo;
use bytes::Bytes;
use std::collections::BTreeMap;

/// The largest picture, in bytes: the smallest limit among the vendors.
pub const MAX_IMAGE_BYTES: usize = 5 << 20;
/// Pictures of one prompt.
pub const MAX_IMAGES: usize = 20;

/// The first bytes of pictures, and their types. WebP has its name behind a length.
const SIGNATURES: [(&[u8], usize, &str); 5] = [
    (b"\x89PNG\r\n\x1a\n", 0, "image/png"),
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"GIF87a", 0, "image/gif"),
    (b"GIF89a", 0, "image/gif"),
    (b"WEBP", 8, "image/webp"),
];

/// Pictures that are fit to be shown: their contents, and how messages speak of them.
pub(crate) fn read(images: Vec<Vec<u8>>) -> Result<(Vec<Content>, Vec<Image>), Fault> {
    if images.len() > MAX_IMAGES {
        return Err(Fault::new(
            Code::USAGE,
            format!("{} pictures are too many for one message.", images.len()),
            format!("Show up to {MAX_IMAGES} at once."),
        ));
    }
    images.into_iter().map(read_one).collect::<Result<Vec<_>, _>>().map(|read| read.into_iter().unzip())
}

fn read_one(bytes: Vec<u8>) -> Result<(Content, Image), Fault> {
    let unusable = |what: String| {
        Fault::new(Code::USAGE, what, "Show a PNG, JPEG, GIF or WebP of up to 5 MiB; a smaller copy mostly does.")
    };
    if bytes.len() > MAX_IMAGE_BYTES {
        return Err(unusable(format!("A picture of {} bytes is too large to be shown to a model.", bytes.len())));
    }
    let found = SIGNATURES.iter().find(|(signature, at, _)| bytes.get(*at..).is_some_and(|b| b.starts_with(signature)));
    let Some((_, _, media_type)) = found else {
        return Err(unusable("The file is not a picture that models can see.".to_owned()));
    };
    let hash = sha256_hex(&bytes);
    let image = Image { media_type: (*media_type).to_owned(), content_hash: hash.clone() };
    Ok((Content { hash, bytes, kind: ContentKind::Plain }, image))
}

/// # Errors
/// `USAGE` for what is no picture that models can see, or too large.
pub(crate) fn ensure_picture(bytes: &[u8]) -> Result<(), Fault> {
    read_one(bytes.to_vec()).map(drop)
}

/// Fails where the model is known not to see: it would answer as if nothing was shown, or not at all.
pub(crate) fn ensure_seen_by(model: &ModelInfo) -> Result<(), Fault> {
    if !model.is_blind() {
        return Ok(());
    }
    Err(Fault::new(
        Code::USAGE,
        format!("{}/{} can't see pictures.", model.provider, model.model),
        "Choose a model with the ability “vision” (`arki models`), or add it to the model in config.json.",
    ))
}

impl Runs {
    /// Returns the images that are still kept: those of an imported session are not.
    pub(crate) fn images_of(&self, transcript: &Transcript) -> Result<BTreeMap<String, Bytes>, Fault> {
        let mut images = BTreeMap::new();
        for image in transcript.images() {
            if let Some(bytes) = self.records.reader().blob(&image.content_hash)? {
                images.insert(image.content_hash.clone(), Bytes::from(bytes));
            }
        }
        Ok(images)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_known_by_how_it_begins() {
        let media_type = |bytes: &[u8]| read_one(bytes.to_vec()).map(|(_, image)| image.media_type);
        assert_eq!(media_type(b"\x89PNG\r\n\x1a\nrest").unwrap(), "image/png");
        assert_eq!(media_type(b"RIFF\x10\0\0\0WEBPVP8 ").unwrap(), "image/webp");
        assert_eq!(media_type(b"\xff\xd8\xff\xe0").unwrap(), "image/jpeg");
        assert!(media_type(b"%PDF-1.7").unwrap_err().is(Code::USAGE));
        assert!(media_type(b"").unwrap_err().is(Code::USAGE));
        assert!(media_type(&[0x89; MAX_IMAGE_BYTES + 1]).unwrap_err().is(Code::USAGE));
    }
}
