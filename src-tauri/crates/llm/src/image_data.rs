//! Images as vendors take them: their bytes in base64, within the JSON.

use arki_domain::Image;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use std::collections::BTreeMap;

/// The bytes of images, by their SHA-256 hex.
pub(crate) type Images = BTreeMap<String, Bytes>;

/// `None` where the bytes are not there, which [`crate::prompt::sendable`] has said in words.
pub(crate) fn base64_of(image: &Image, images: &Images) -> Option<String> {
    images.get(&image.content_hash).map(|bytes| STANDARD.encode(bytes))
}

/// Returns as a `data:` URL: <https://www.rfc-editor.org/rfc/rfc2397>.
pub(crate) fn data_url_of(image: &Image, images: &Images) -> Option<String> {
    Some(format!("data:{};base64,{}", image.media_type, base64_of(image, images)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    #[test]
    fn an_image_is_told_by_its_type_and_bytes_or_not_at_all() {
        let image = |hash: &str| Image::new("image/png", hash);
        let images = Images::from([("a".to_owned(), Bytes::from_static(&[0xfb, 0xff, 0xfe, 0x01]))]);
        assert_eq!(data_url_of(&image("a"), &images).as_deref(), Some("data:image/png;base64,+//+AQ=="));
        assert_eq!(base64_of(&image("b"), &images), None);
    }
}
