//! The written form of a journal's parts that are not text: names are bytes, and so are contents.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(super) mod path {
    use super::{Deserialize, Deserializer, OsString, Path, PathBuf, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        path.as_os_str().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        OsString::deserialize(from).map(PathBuf::from)
    }
}

/// Any number of paths.
pub(super) mod paths {
    use super::{Deserialize, Deserializer, OsString, PathBuf, Serializer};

    pub(crate) fn serialize<'a, S: Serializer>(
        paths: impl IntoIterator<Item = &'a PathBuf>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(paths.into_iter().map(|path| path.as_os_str()))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>, C: FromIterator<PathBuf>>(from: D) -> Result<C, D::Error> {
        Ok(Vec::<OsString>::deserialize(from)?.into_iter().map(PathBuf::from).collect())
    }
}

/// A serialization of maps by path.
pub(super) mod by_path {
    use super::{BTreeMap, Deserialize, Deserializer, OsString, PathBuf, Serialize, Serializer};

    pub(crate) fn serialize<V: Serialize, S: Serializer>(map: &BTreeMap<PathBuf, V>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(map.iter().map(|(path, value)| (path.as_os_str(), value)))
    }

    pub(crate) fn deserialize<'de, V: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<PathBuf, V>, D::Error> {
        Ok(Vec::<(OsString, V)>::deserialize(from)?.into_iter().map(|(path, value)| (path.into(), value)).collect())
    }
}

pub(super) mod bytes {
    use super::{Deserialize, Deserializer, Serializer};
    use serde::de::Error;

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&hex::encode(bytes))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        hex::decode(String::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// Maps whose keys are not text.
pub(super) mod pairs {
    use super::{BTreeMap, Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<K: Serialize, V: Serialize, S: Serializer>(
        map: &BTreeMap<K, V>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(map)
    }

    pub(crate) fn deserialize<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<K, V>, D::Error> {
        Ok(Vec::<(K, V)>::deserialize(from)?.into_iter().collect())
    }
}
