//! The tokens with which programs reach `arki serve`: the user's own, in a file that only they can read, and further ones
//! with fewer rights, of which only the hashes are kept.

use crate::Records;
use arki_api::{OWN_TOKEN, Pairing, TokenRights};
use arki_disk::{change_private_file, create_private_dir, write_private_file_once};
use arki_domain::{Code, Error, sha256_hex};
use arki_store::KeptAnswer;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

const TOKEN_BYTES: usize = 32;
const ID_BYTES: usize = 4;
/// More pairings than this are a mistake.
const MAX_PAIRINGS: usize = 100;
/// More browsers than this aren't signed in at once: the one that signed in first is signed out.
const MAX_BROWSERS: usize = 20;

/// Knows who may reach this engine over HTTP.
pub struct Pairings {
    records: Arc<Records>,
}

/// A pairing as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeptPairing {
    #[serde(flatten)]
    pairing: Pairing,
    /// SHA-256 of its token, in hexadecimal digits.
    token_hash: String,
}

impl Pairings {
    pub(crate) fn new(records: Arc<Records>) -> Self {
        Self { records }
    }

    /// The file with the user's own token, which is made where there is none.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn token_file(&self) -> Result<PathBuf, Error> {
        let file = self.folder()?.join("token");
        if !file.exists() {
            write_private_file_once(&file, random(TOKEN_BYTES)?.as_bytes())?;
        }
        Ok(file)
    }

    /// Makes a further token, which is told this once.
    ///
    /// # Errors
    /// When it can't be kept, or there are too many.
    pub fn pair(&self, rights: TokenRights) -> Result<(Pairing, String), Error> {
        let (kept, token) = self.made(rights, false)?;
        let pairing = kept.pairing.clone();
        self.change(|pairings| {
            if pairings.iter().filter(|kept| !kept.pairing.browser).count() >= MAX_PAIRINGS {
                let message = format!("There are {MAX_PAIRINGS} pairings already.");
                let hint = "`arki serve --tokens` lists them, `--withdraw ID` withdraws one.";
                return Err(Error::new(Code::USAGE, message, hint));
            }
            pairings.push(kept);
            Ok(())
        })?;
        Ok((pairing, token))
    }

    /// Makes a token for a browser, with all rights.
    ///
    /// # Errors
    /// When it can't be kept.
    pub fn pair_browser(&self) -> Result<String, Error> {
        let (kept, token) = self.made(TokenRights::Full, true)?;
        self.change(|pairings| {
            let browsers = pairings.iter().filter(|kept| kept.pairing.browser).count();
            let mut too_many = (browsers + 1).saturating_sub(MAX_BROWSERS);
            pairings.retain(|kept| {
                let goes = kept.pairing.browser && too_many > 0;
                too_many -= usize::from(goes);
                !goes
            });
            pairings.push(kept);
            Ok(())
        })?;
        Ok(token)
    }

    /// Makes a word that nobody can guess.
    ///
    /// # Errors
    /// When the system has no random bytes.
    pub fn random_word(&self) -> Result<String, Error> {
        random(TOKEN_BYTES)
    }

    /// The further tokens, the oldest first.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn list(&self) -> Result<Vec<Pairing>, Error> {
        Ok(self.kept()?.into_iter().map(|kept| kept.pairing).collect())
    }

    /// Withdraws a token: from now on nothing is answered to it.
    ///
    /// # Errors
    /// `PAIRING_NOT_FOUND`.
    pub fn withdraw(&self, id: &str) -> Result<(), Error> {
        self.change(|pairings| {
            let before = pairings.len();
            pairings.retain(|kept| kept.pairing.id != id);
            match pairings.len() == before {
                false => Ok(()),
                true => Err(Error::new(
                    Code::PAIRING_NOT_FOUND,
                    format!("There is no pairing {id}."),
                    "`arki serve --tokens` lists them.",
                )),
            }
        })
    }

    /// Returns whose token this is. How long it takes tells nothing of a token: hashes are compared.
    ///
    /// # Errors
    /// When the tokens can't be read.
    pub fn whose(&self, token: &str) -> Result<Option<Pairing>, Error> {
        let given = sha256_hex(token.as_bytes());
        let own = std::fs::read_to_string(self.token_file()?).map_err(Error::internal)?;
        // Whatever became of the others.
        if sha256_hex(own.trim().as_bytes()) == given {
            return Ok(Some(Pairing {
                id: OWN_TOKEN.to_owned(),
                rights: TokenRights::Full,
                created_at: 0,
                browser: false,
            }));
        }
        Ok(self.kept()?.into_iter().find(|kept| kept.token_hash == given).map(|kept| kept.pairing))
    }

    /// Returns whether a token was not withdrawn.
    ///
    /// # Errors
    /// When the tokens can't be read.
    pub fn stands(&self, id: &str) -> Result<bool, Error> {
        Ok(id == OWN_TOKEN || self.kept()?.iter().any(|kept| kept.pairing.id == id))
    }

    /// The answer that a token's request under this key got, as long as it is kept.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn kept_answer(&self, id: &str, key_hash: &str) -> Result<Option<KeptAnswer>, Error> {
        Ok(self.records.reader().lists().kept_answer(id, key_hash)?)
    }

    fn made(&self, rights: TokenRights, browser: bool) -> Result<(KeptPairing, String), Error> {
        let (id, token) = (random(ID_BYTES)?, random(TOKEN_BYTES)?);
        let pairing = Pairing { id, rights, created_at: self.records.clock().now_ms(), browser };
        Ok((KeptPairing { pairing, token_hash: sha256_hex(token.as_bytes()) }, token))
    }

    fn folder(&self) -> Result<PathBuf, Error> {
        let folder = self.records.directories().data.join("serve");
        create_private_dir(&folder).map_err(Error::internal)?;
        Ok(folder)
    }

    fn kept(&self) -> Result<Vec<KeptPairing>, Error> {
        match std::fs::read(self.folder()?.join(PAIRINGS)) {
            Ok(bytes) => read(&bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(Error::internal(error)),
        }
    }

    fn change(&self, change: impl FnOnce(&mut Vec<KeptPairing>) -> Result<(), Error>) -> Result<(), Error> {
        change_private_file(&self.folder()?.join(PAIRINGS), |bytes| {
            let mut pairings = bytes.map_or_else(|| Ok(Vec::new()), read)?;
            change(&mut pairings)?;
            serde_json::to_vec_pretty(&pairings).map_err(Error::internal)
        })
    }
}

const PAIRINGS: &str = "pairings.json";

fn read(bytes: &[u8]) -> Result<Vec<KeptPairing>, Error> {
    serde_json::from_slice(bytes).map_err(Error::internal)
}

fn random(bytes: usize) -> Result<String, Error> {
    let mut random = vec![0; bytes];
    getrandom::fill(&mut random).map_err(Error::internal)?;
    Ok(hex::encode(random))
}
