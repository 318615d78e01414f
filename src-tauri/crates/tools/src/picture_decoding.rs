//! Decodes pictures once before they are shown or sent: one that is cut off or damaged, a provider refuses, and with it
//! every later request of the session. One with longer sides than vendors take is scaled down.

use arki_domain::{Code, Error, Image, MAX_IMAGE_BYTES, PixelSize, picture_type, sha256_hex};
use image::{DynamicImage, ImageFormat, ImageReader, Limits};
use std::io::Cursor;

/// The pixels of a picture that is scaled down here.
const MAX_DECODED_PIXELS: u64 = 100_000_000;
/// The longest side that every vendor takes, in pixels.
const MAX_SIDE: u32 = 8000;
/// The side that vendors scale a longer one down to themselves.
const SCALED_SIDE: u32 = 2048;
/// The memory that a decoder may take.
const MAX_DECODED_BYTES: u64 = 512 << 20;
const END_OF_JPEG: &[u8] = b"\xff\xd9";
const SCAN_OF_JPEG: &[u8] = b"\xff\xda";

/// A picture that was decoded whole.
pub struct DecodedPicture {
    pub media_type: &'static str,
    pub size: PixelSize,
    pixels: DynamicImage,
}

/// Returns the picture as models are shown it: as it came, or scaled down. Blocking.
///
/// # Errors
/// `USAGE` for what is no whole picture, or one that is too large.
pub fn sendable_picture(bytes: Vec<u8>) -> Result<(Image, Vec<u8>), Error> {
    let (media_type, size, bytes) = decode_picture(&bytes, MAX_IMAGE_BYTES, MAX_DECODED_PIXELS)?.sendable(bytes)?;
    let image = Image { media_type: media_type.to_owned(), content_hash: sha256_hex(&bytes), size: Some(size) };
    Ok((image, bytes))
}

/// Decodes a picture of up to so many bytes and pixels. Blocking.
///
/// # Errors
/// `USAGE` where it is none, damaged, or larger.
pub fn decode_picture(bytes: &[u8], max_bytes: usize, max_pixels: u64) -> Result<DecodedPicture, Error> {
    if bytes.len() > max_bytes {
        return Err(picture_too_large(&format!("of {} bytes", bytes.len()), max_bytes));
    }
    let media_type = picture_type(bytes).ok_or_else(|| {
        unusable("The file is not a picture that models can see.".to_owned(), "Show a PNG, JPEG, GIF or WebP.")
    })?;
    decode(media_type, bytes, max_pixels)
}

/// Returns the error of a picture with too many bytes; `what` says how many it has.
#[must_use]
pub fn picture_too_large(what: &str, max_bytes: usize) -> Error {
    let hint = format!("Show a PNG, JPEG, GIF or WebP of up to {} MiB; a smaller copy usually works.", max_bytes >> 20);
    unusable(format!("A picture {what} is too large to be shown to a model."), &hint)
}

fn unusable(what: String, hint: &str) -> Error {
    Error::new(Code::USAGE, what, hint)
}

fn decode(media_type: &'static str, bytes: &[u8], max_pixels: u64) -> Result<DecodedPicture, Error> {
    let damaged = |error| {
        tracing::debug!(%error, media_type, "a picture can't be decoded");
        damaged()
    };
    let (width, height) = reader(media_type, bytes).into_dimensions().map_err(damaged)?;
    let size = PixelSize { width, height };
    if size.pixels() > max_pixels {
        let what = format!("A picture of {width} × {height} pixels is too large to be scaled down.");
        return Err(unusable(what, &format!("Show one of up to {} megapixels.", max_pixels / 1_000_000)));
    }
    let pixels = reader(media_type, bytes).decode().map_err(damaged)?;
    if size.pixels() == 0 || (media_type == "image/jpeg" && is_cut_off(bytes)) {
        return Err(self::damaged());
    }
    Ok(DecodedPicture { media_type, size, pixels })
}

impl DecodedPicture {
    /// Returns the picture as it is sent: as it came, or scaled down.
    fn sendable(self, bytes: Vec<u8>) -> Result<(&'static str, PixelSize, Vec<u8>), Error> {
        if self.size.width.max(self.size.height) <= MAX_SIDE {
            return Ok((self.media_type, self.size, bytes));
        }
        // Averages whole pixels: a filter would hold a copy of four floats a pixel, and takes seconds.
        let scaled = self.pixels.thumbnail(SCALED_SIDE, SCALED_SIDE);
        let size = PixelSize { width: scaled.width(), height: scaled.height() };
        let png = written(&scaled, ImageFormat::Png)?;
        if png.len() <= MAX_IMAGE_BYTES {
            return Ok(("image/png", size, png));
        }
        Ok(("image/jpeg", size, written(&scaled.into_rgb8().into(), ImageFormat::Jpeg)?))
    }
}

fn written(picture: &DynamicImage, format: ImageFormat) -> Result<Vec<u8>, Error> {
    let mut out = Cursor::new(Vec::new());
    picture.write_to(&mut out, format).map_err(|_| damaged())?;
    Ok(out.into_inner())
}

fn reader<'a>(media_type: &str, bytes: &'a [u8]) -> ImageReader<Cursor<&'a [u8]>> {
    let mut reader = ImageReader::new(Cursor::new(bytes));
    if let Some(format) = ImageFormat::from_mime_type(media_type) {
        reader.set_format(format);
    }
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    reader.limits(limits);
    reader
}

/// Returns whether its last scan has no end; the decoder fills up what is missing. Neither mark occurs within a scan.
fn is_cut_off(jpeg: &[u8]) -> bool {
    let last = |mark: &[u8]| jpeg.windows(mark.len()).rposition(|bytes| bytes == mark);
    last(END_OF_JPEG) < last(SCAN_OF_JPEG)
}

fn damaged() -> Error {
    unusable("The picture is damaged, so models can't see it.".to_owned(), "Save it again, or show another one.")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIXELS: u64 = 100_000_000;

    /// A picture of one colour.
    fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        written(&DynamicImage::new_rgb8(width, height), format).unwrap()
    }

    fn is_damaged(media_type: &'static str, bytes: &[u8]) -> bool {
        match decode(media_type, bytes, PIXELS) {
            Ok(_) => false,
            Err(fault) => fault.is(Code::USAGE) && fault.message.contains("damaged"),
        }
    }

    #[test]
    fn whole_pictures_are_sent_as_they_came() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
            let bytes = picture(40, 30, format);
            let decoded = decode(format.to_mime_type(), &bytes, PIXELS).ok().unwrap();
            assert_eq!((decoded.size.width, decoded.size.height), (40, 30));
            assert_eq!(decoded.sendable(bytes.clone()).unwrap().2, bytes);
        }
    }

    #[test]
    fn one_that_is_cut_off_anywhere_is_refused() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
            let bytes = picture(64, 64, format);
            for part in [4, 6, 9] {
                assert!(is_damaged(format.to_mime_type(), &bytes[..bytes.len() * part / 10]), "{format:?} {part}");
            }
        }
    }

    #[test]
    fn a_wrong_checksum_no_pixels_and_a_header_alone_are_refused() {
        let mut bytes = picture(64, 64, ImageFormat::Png);
        let end = bytes.len() - 12;
        bytes[end - 3] ^= 0xff;
        assert!(is_damaged("image/png", &bytes));
        let empty = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\x08\x02\0\0\0";
        assert!(is_damaged("image/png", empty));
        assert!(is_damaged("image/jpeg", b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"));
    }

    #[test]
    fn one_with_long_sides_is_scaled_and_a_bomb_is_refused() {
        let bytes = picture(9000, 90, ImageFormat::Png);
        let decoded = decode("image/png", &bytes, PIXELS).ok().unwrap();
        let (media_type, size, scaled) = decoded.sendable(bytes).unwrap();
        assert_eq!((media_type, size.width, size.height), ("image/png", 2048, 20));
        assert!(decode("image/png", &scaled, PIXELS).is_ok());
        let bomb = decode("image/png", &picture(100, 101, ImageFormat::Png), 10_000).err().unwrap();
        assert!(bomb.message.contains("100 × 101 pixels"), "{bomb:?}");
    }
}
