//! Reads and computes an expression in one go; how tightly things bind is as in Python.

use super::functions;
use super::number::{Computed, MAX_BITS, Number};
use num_bigint::BigInt;
use num_rational::BigRational;

const MAX_DEPTH: usize = 64;
/// The largest exponent of a literal such as `1e300`.
const MAX_EXPONENT: i32 = 5000;

/// The value of an expression; `ans` is what was computed before. What is wrong is told with its place.
pub(super) fn value(source: &str, ans: Option<&Number>) -> Computed {
    let mut reader = ExpressionReader { source, at: 0, depth: 0, ans };
    let value = reader.sum()?;
    match reader.peek() {
        None => Ok(value),
        Some(')') => Err(reader.here("unmatched `)`")),
        Some(',') => Err(reader.here("numbers have no thousands separators; write 1000 or 1_000")),
        Some(c) if c.is_alphanumeric() || c == '(' => Err(reader.here("an operator is missing; write `*` to multiply")),
        Some(c) => Err(reader.here(&format!("unknown symbol {c:?}; use + - * / // % ^ ** ! ( )"))),
    }
}

/// A number as it was told before.
pub(super) fn told(text: &str) -> Option<Number> {
    let exactly = text.split_once("(exactly ").and_then(|(_, rest)| rest.strip_suffix(')'));
    value(exactly.unwrap_or(text), None).ok()
}

struct ExpressionReader<'a> {
    source: &'a str,
    at: usize,
    depth: usize,
    ans: Option<&'a Number>,
}

impl ExpressionReader<'_> {
    fn sum(&mut self) -> Computed {
        let mut value = self.product()?;
        loop {
            value = match self.peek() {
                Some('+') => self.after("+").product().and_then(|other| value.plus(other))?,
                Some('-') => self.after("-").product().and_then(|other| value.minus(other))?,
                _ => return Ok(value),
            };
        }
    }

    fn product(&mut self) -> Computed {
        let mut value = self.signed()?;
        loop {
            let rest = self.rest();
            value = if rest.starts_with("//") {
                self.after("//").signed().and_then(|other| value.over(other)?.floored())?
            } else if rest.starts_with('*') && !rest.starts_with("**") {
                self.after("*").signed().and_then(|other| value.times(other))?
            } else if rest.starts_with('/') {
                self.after("/").signed().and_then(|other| value.over(other))?
            } else if rest.starts_with('%') {
                self.after("%").percent_or_signed().and_then(|other| value.modulo(other))?
            } else {
                return Ok(value);
            };
        }
    }

    /// `%` is the remainder, as in programs; as a percent sign it would be ambiguous.
    fn percent_or_signed(&mut self) -> Computed {
        match self.peek() {
            None | Some(')' | '*' | '/' | ',') => Err(self.here("`%` is the remainder; write /100 for percent")),
            Some(_) => self.signed(),
        }
    }

    fn signed(&mut self) -> Computed {
        match self.peek() {
            Some('-') => self.after("-").deeper(Self::signed).map(Number::negated),
            Some('+') => self.after("+").deeper(Self::signed),
            _ => self.power(),
        }
    }

    fn power(&mut self) -> Computed {
        let base = self.postfix()?;
        let sign = if self.rest().starts_with("**") { "**" } else { "^" };
        if !self.rest().starts_with(sign) {
            return Ok(base);
        }
        self.after(sign).deeper(Self::signed).and_then(|exponent| base.power(&exponent))
    }

    fn postfix(&mut self) -> Computed {
        let mut value = self.atom()?;
        while self.peek() == Some('!') {
            self.after("!");
            value = value.factorial()?;
        }
        Ok(value)
    }

    fn atom(&mut self) -> Computed {
        match self.peek() {
            None => Err("the expression ends too early".to_owned()),
            Some('(') => {
                let value = self.after("(").deeper(Self::sum)?;
                self.close(')')?;
                Ok(value)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.named(),
            Some(c) => Err(self.here(&format!("a number is missing before {c:?}"))),
        }
    }

    fn named(&mut self) -> Computed {
        let start = self.at;
        let length = self.rest().find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest().len());
        let name = self.rest()[..length].to_owned();
        self.at += length;
        if self.peek() != Some('(') {
            return match (name.as_str(), self.ans) {
                ("ans", Some(ans)) => Ok(ans.clone()),
                ("ans", None) => Err("there is no `ans` yet: nothing was calculated in this session".to_owned()),
                _ => functions::constant(&name).ok_or_else(|| functions::unknown(&name, start)),
            };
        }
        let mut arguments = Vec::new();
        self.after("(");
        while self.peek() != Some(')') {
            arguments.push(self.deeper(Self::sum)?);
            match self.peek() {
                Some(',') => _ = self.after(","),
                _ => break,
            }
        }
        self.close(')')?;
        functions::call(&name, arguments, start)
    }

    fn number(&mut self) -> Computed {
        let start = self.at;
        let rest = self.rest();
        let radix = match rest.get(..2) {
            Some("0x" | "0X") => Some((16, "0x")),
            Some("0b" | "0B") => Some((2, "0b")),
            Some("0o" | "0O") => Some((8, "0o")),
            _ => None,
        };
        if let Some((radix, prefix)) = radix {
            let digits = self.after(prefix).run(|c| c.is_ascii_alphanumeric() || c == '_');
            let whole = BigInt::parse_bytes(digits.replace('_', "").as_bytes(), radix);
            return whole.map(Number::whole).ok_or_else(|| at(start, "these digits don't fit the base"));
        }
        let digits = self.run(|c| c.is_ascii_digit() || c == '_');
        let mut decimals = String::new();
        if self.rest().starts_with('.') {
            self.at += 1;
            decimals = self.run(|c| c.is_ascii_digit() || c == '_');
        }
        let exponent = self.exponent()?;
        let all = format!("{digits}{decimals}").replace('_', "");
        let scale = exponent - i32::try_from(decimals.replace('_', "").len()).unwrap_or(i32::MAX);
        let whole: BigInt = all.parse().map_err(|_| at(start, "this is not a number"))?;
        let ten = BigRational::from_integer(10.into());
        let power = num_traits::pow(ten, scale.unsigned_abs() as usize);
        let scale = if scale < 0 { power.recip() } else { power };
        let value = BigRational::from_integer(whole) * scale;
        if value.numer().bits() > MAX_BITS || value.denom().bits() > MAX_BITS {
            return Err(at(start, "this number has too many digits"));
        }
        Ok(Number::Exact(value))
    }

    /// `e` and digits behind a number; anything else that begins with `e` is not part of it.
    fn exponent(&mut self) -> Result<i32, String> {
        let start = self.at;
        let Some(rest) = self.rest().strip_prefix(['e', 'E']) else { return Ok(0) };
        let digits = rest.trim_start_matches(['+', '-']);
        if rest.len() > digits.len() + 1 || !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(0);
        }
        let sign = if rest.starts_with('-') { -1 } else { 1 };
        self.at += 1 + rest.len() - digits.len();
        let exponent =
            self.run(|c| c.is_ascii_digit()).parse::<i32>().ok().filter(|exponent| *exponent <= MAX_EXPONENT);
        exponent.map(|exponent| sign * exponent).ok_or_else(|| at(start, "this exponent is too large"))
    }

    fn run(&mut self, belongs: impl Fn(char) -> bool) -> String {
        let length = self.rest().find(|c| !belongs(c)).unwrap_or(self.rest().len());
        let run = self.rest()[..length].to_owned();
        self.at += length;
        run
    }

    fn deeper(&mut self, read: fn(&mut Self) -> Computed) -> Computed {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.here("this is nested too deeply"));
        }
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn close(&mut self, closing: char) -> Result<(), String> {
        if self.peek() == Some(closing) {
            self.at += closing.len_utf8();
            return Ok(());
        }
        Err(self.here(&format!("a `{closing}` is missing")))
    }

    /// Skips spaces.
    fn peek(&mut self) -> Option<char> {
        let rest = self.source.get(self.at..).unwrap_or_default();
        self.at += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    fn after(&mut self, sign: &str) -> &mut Self {
        self.at += sign.len();
        self
    }

    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn here(&self, what: &str) -> String {
        at(self.at, what)
    }
}

/// The place counts from 1, in bytes.
pub(super) fn at(place: usize, what: &str) -> String {
    format!("{what} (at position {})", place + 1)
}
