//! Reads the size of a picture from its first bytes. Nothing is decoded: a picture whose pixels would fill the memory is
//! known by what it says of itself.
//!
//! The layouts are those of the PNG specification (IHDR), GIF89a (logical screen), ITU T.81 (frame header) and RFC 9649
//! (WebP).

use arki_domain::PixelSize;

/// Returns the size in pixels; `None` where the bytes end before they say it, or say none.
pub(super) fn pixel_size(media_type: &str, bytes: &[u8]) -> Option<PixelSize> {
    let (width, height) = match media_type {
        "image/png" => png(bytes),
        "image/gif" => gif(bytes),
        "image/jpeg" => jpeg(bytes),
        "image/webp" => webp(bytes),
        _ => None,
    }?;
    (width > 0 && height > 0).then_some(PixelSize { width, height })
}

fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    let header = bytes.get(12..24)?.strip_prefix(b"IHDR")?;
    Some((u32::from_be_bytes(array(header, 0)?), u32::from_be_bytes(array(header, 4)?)))
}

fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    Some((little(bytes, 6)?, little(bytes, 8)?))
}

/// Walks the segments up to the one that begins the frame. Each has its length in front.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let marker = *bytes.get(at + 1)?;
        if bytes[at] != 0xff {
            return None;
        }
        match marker {
            // Any number of these may stand before a marker.
            0xff => at += 1,
            // Without a length.
            0x01 | 0xd0..=0xd8 => at += 2,
            // The frame: all of 0xc0 to 0xcf but tables and an extension.
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((big(bytes, at + 7)?, big(bytes, at + 5)?));
            }
            // The pixels or the end come before any frame.
            0xd9 | 0xda => return None,
            _ => at += 2 + usize::try_from(big(bytes, at + 2)?).ok()?.max(2),
        }
    }
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8 " => Some((little(bytes, 26)? & 0x3fff, little(bytes, 28)? & 0x3fff)),
        b"VP8L" => {
            let bits = u32::from_le_bytes(array(bytes, 21)?);
            Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1))
        }
        b"VP8X" => {
            let three = |at: usize| Some(little(bytes, at)? | u32::from(*bytes.get(at + 2)?) << 16);
            Some((three(24)? + 1, three(27)? + 1))
        }
        _ => None,
    }
}

fn big(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u16::from_be_bytes(array(bytes, at)?).into())
}

fn little(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u16::from_le_bytes(array(bytes, at)?).into())
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn size(media_type: &str, bytes: &[u8]) -> Option<(u32, u32)> {
        pixel_size(media_type, bytes).map(|size| (size.width, size.height))
    }

    #[test]
    fn each_kind_says_its_size() {
        let png = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0, 0, 4, 0, 0, 0, 3, 0]].concat();
        assert_eq!(size("image/png", &png), Some((1024, 768)));
        assert_eq!(size("image/gif", b"GIF89a\x40\x01\xf0\x00"), Some((320, 240)));
        let lossy = [b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a".as_slice(), &[0x90, 1, 0x2c, 1]].concat();
        assert_eq!(size("image/webp", &lossy), Some((400, 300)));
        let lossless = [b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f".as_slice(), &(399_u32 | 299 << 14).to_le_bytes()].concat();
        assert_eq!(size("image/webp", &lossless), Some((400, 300)));
        let extended = [b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0".as_slice(), &[0x8f, 1, 0, 0x2b, 1, 0]].concat();
        assert_eq!(size("image/webp", &extended), Some((400, 300)));
    }

    #[test]
    fn a_jpegs_frame_is_found_behind_other_segments() {
        let comment = b"\xff\xfe\0\x06abcd";
        let frame = b"\xff\xff\xc2\0\x11\x08\x02\x58\x03\x20";
        let bytes = [b"\xff\xd8".as_slice(), comment, frame].concat();
        assert_eq!(size("image/jpeg", &bytes), Some((800, 600)));
        let pixels_first = [b"\xff\xd8\xff\xda\0\x02".as_slice(), frame].concat();
        assert_eq!(size("image/jpeg", &pixels_first), None);
    }

    #[test]
    fn a_size_of_nothing_is_none() {
        assert_eq!(size("image/gif", b"GIF89a\x40\x01\0\0"), None);
        assert_eq!(size("image/png", b"\x89PNG\r\n\x1a\nrest"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_an_end(bytes in proptest::collection::vec(any::<u8>(), 0..200), kind in 0..4_usize) {
            let media_type = ["image/png", "image/gif", "image/jpeg", "image/webp"][kind];
            let begun = [b"\xff\xd8".as_slice(), &bytes].concat();
            for bytes in [&bytes, &begun] {
                let found = pixel_size(media_type, bytes);
                prop_assert!(found.is_none_or(|size| size.width > 0 && size.height > 0));
            }
        }
    }
}
