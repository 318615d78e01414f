//! Numbers that stay exact as long as they can: fractions of whole numbers of any length, and floating point only from
//! where a function leaves them.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::fmt;

/// A numerator or denominator of more bits than this is not computed: it is some 39,000 digits long.
pub(super) const MAX_BITS: u64 = 1 << 17;
/// Digits behind the point that are written out before a fraction is written as one.
const MAX_DECIMALS: usize = 40;
/// Fractions are told exactly when they have no more digits than this.
const MAX_FRACTION_CHARS: usize = 60;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Number {
    Exact(BigRational),
    Float(f64),
}

pub(super) type Computed = Result<Number, String>;

impl Number {
    pub(super) fn whole(value: impl Into<BigInt>) -> Self {
        Self::Exact(BigRational::from_integer(value.into()))
    }

    pub(super) fn float(value: f64) -> Computed {
        if value.is_finite() { Ok(Self::Float(value)) } else { Err("the result is not a finite number".to_owned()) }
    }

    fn exact(value: BigRational) -> Computed {
        if value.numer().bits() > MAX_BITS || value.denom().bits() > MAX_BITS {
            return Err("the result has too many digits".to_owned());
        }
        Ok(Self::Exact(value))
    }

    pub(super) fn to_f64(&self) -> f64 {
        match self {
            Self::Exact(value) => value.to_f64().unwrap_or(f64::NAN),
            Self::Float(value) => *value,
        }
    }

    pub(super) fn as_whole(&self) -> Option<BigInt> {
        match self {
            Self::Exact(value) => value.is_integer().then(|| value.to_integer()),
            Self::Float(value) => (value.fract() == 0.0)
                .then(|| BigRational::from_float(*value))
                .flatten()
                .map(|value| value.to_integer()),
        }
    }

    fn is_zero(&self) -> bool {
        match self {
            Self::Exact(value) => value.is_zero(),
            Self::Float(value) => *value == 0.0,
        }
    }

    pub(super) fn plus(self, other: Self) -> Computed {
        self.with(other, |a, b| a + b, |a, b| a + b)
    }

    pub(super) fn minus(self, other: Self) -> Computed {
        self.with(other, |a, b| a - b, |a, b| a - b)
    }

    pub(super) fn times(self, other: Self) -> Computed {
        self.with(other, |a, b| a * b, |a, b| a * b)
    }

    pub(super) fn over(self, other: Self) -> Computed {
        if other.is_zero() {
            return Err("division by zero".to_owned());
        }
        self.with(other, |a, b| a / b, |a, b| a / b)
    }

    pub(super) fn floored(self) -> Computed {
        match self {
            Self::Exact(value) => Ok(Self::Exact(value.floor())),
            Self::Float(value) => Self::float(value.floor()),
        }
    }

    /// The remainder has the divisor's sign, as in Python.
    pub(super) fn modulo(self, other: Self) -> Computed {
        let times = self.clone().over(other.clone())?.floored()?;
        self.minus(other.times(times)?)
    }

    pub(super) fn power(self, exponent: &Self) -> Computed {
        let (Self::Exact(base), Some(whole)) = (&self, exponent.as_whole()) else {
            return Self::float(self.to_f64().powf(exponent.to_f64()));
        };
        if base.is_zero() && whole.is_negative() {
            return Err("division by zero".to_owned());
        }
        if base.is_zero() || base.is_one() || whole.is_zero() {
            return Ok(Self::Exact(if whole.is_zero() { BigRational::one() } else { base.clone() }));
        }
        let too_long = || "the result has too many digits".to_owned();
        let times = whole.abs().to_u64().ok_or_else(too_long)?;
        let bits = base.numer().bits().max(base.denom().bits());
        // A base of one bit is ±1 over something, or minus one.
        if bits.saturating_sub(1).max(1).saturating_mul(times) > MAX_BITS && !(-base).is_one() {
            return Err(too_long());
        }
        let times = if (-base).is_one() { times % 2 } else { times };
        let power = num_traits::pow(base.clone(), usize::try_from(times).map_err(|_| too_long())?);
        Self::exact(if whole.is_negative() { power.recip() } else { power })
    }

    pub(super) fn negated(self) -> Self {
        match self {
            Self::Exact(value) => Self::Exact(-value),
            Self::Float(value) => Self::Float(-value),
        }
    }

    pub(super) fn is_negative(&self) -> bool {
        match self {
            Self::Exact(value) => value.is_negative(),
            Self::Float(value) => *value < 0.0,
        }
    }

    /// The exact root where there is one.
    pub(super) fn square_root(&self) -> Computed {
        if self.is_negative() {
            return Err("the square root of a negative number is not a real number".to_owned());
        }
        if let Self::Exact(value) = self {
            let (numer, denom) = (value.numer().sqrt(), value.denom().sqrt());
            if &(&numer * &numer) == value.numer() && &(&denom * &denom) == value.denom() {
                return Ok(Self::Exact(BigRational::new(numer, denom)));
            }
        }
        Self::float(self.to_f64().sqrt())
    }

    /// Half goes away from zero.
    pub(super) fn rounded(self, decimals: i32) -> Computed {
        let Self::Exact(value) = self else {
            let scale = 10f64.powi(decimals);
            return Self::float((self.to_f64() * scale).round() / scale);
        };
        let scale = num_traits::pow(BigRational::from_integer(10.into()), decimals.unsigned_abs() as usize);
        let scale = if decimals < 0 { scale.recip() } else { scale };
        Self::exact((value * &scale).round() / scale)
    }

    pub(super) fn is_less_than(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Exact(one), Self::Exact(other)) => one < other,
            _ => self.to_f64() < other.to_f64(),
        }
    }

    pub(super) fn factorial(&self) -> Computed {
        /// The largest whose result stays within [`MAX_BITS`].
        const MAX_FACTORIAL: u32 = 10_000;
        let whole = self.as_whole().and_then(|whole| whole.to_u32()).filter(|whole| *whole <= MAX_FACTORIAL);
        let Some(whole) = whole else {
            return Err(format!("a factorial needs a whole number from 0 to {MAX_FACTORIAL}"));
        };
        Ok(Self::whole((1..=whole).fold(BigInt::one(), |product, factor| product * factor)))
    }

    pub(super) fn divisor(&self, other: &Self, least_multiple: bool) -> Computed {
        match (self.as_whole(), other.as_whole()) {
            (Some(one), Some(other)) if least_multiple => Self::exact(BigRational::from_integer(one.lcm(&other))),
            (Some(one), Some(other)) => Ok(Self::whole(one.gcd(&other))),
            _ => Err("whole numbers are needed".to_owned()),
        }
    }

    fn with(
        self,
        other: Self,
        exactly: fn(BigRational, BigRational) -> BigRational,
        nearly: fn(f64, f64) -> f64,
    ) -> Computed {
        match (self, other) {
            (Self::Exact(one), Self::Exact(other)) => Self::exact(exactly(one, other)),
            (one, other) => Self::float(nearly(one.to_f64(), other.to_f64())),
        }
    }
}

/// A number as it is told, which [`super::expression::told`] reads again.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = match self {
            Self::Float(value) => return write!(f, "{}", shortest(*value)),
            Self::Exact(value) if value.is_integer() => return write!(f, "{}", value.numer()),
            Self::Exact(value) => value,
        };
        if let Some(decimals) = decimals(value) {
            return f.write_str(&decimals);
        }
        let fraction = value.to_string();
        let nearly = shortest(self.to_f64());
        if fraction.len() <= MAX_FRACTION_CHARS {
            write!(f, "{nearly} (exactly {fraction})")
        } else {
            f.write_str(&nearly)
        }
    }
}

fn shortest(value: f64) -> String {
    let is_ordinary = value == 0.0 || (1e-6..1e21).contains(&value.abs());
    if is_ordinary { format!("{value}") } else { format!("{value:e}") }
}

/// All of its decimals, where they end soon.
fn decimals(value: &BigRational) -> Option<String> {
    let mut rest = value.denom().clone();
    let mut count = 0;
    for factor in [2, 5] {
        let mut times = 0;
        while times <= MAX_DECIMALS && rest.is_multiple_of(&factor.into()) {
            rest /= factor;
            times += 1;
        }
        count = count.max(times);
    }
    if !rest.is_one() || count > MAX_DECIMALS {
        return None;
    }
    let scaled = (value * num_traits::pow(BigRational::from_integer(10.into()), count)).to_integer();
    let digits = format!("{:0>width$}", scaled.abs().to_string(), width = count + 1);
    let sign = if scaled.is_negative() { "-" } else { "" };
    Some(format!("{sign}{}.{}", &digits[..digits.len() - count], &digits[digits.len() - count..]))
}
