//! The functions and constants that an expression can name.

use super::expression::at;
use super::number::{Computed, Number};
use num_traits::ToPrimitive;

const NAMES: &str = "abs acos asin atan atan2 avg cbrt ceil cos cosh deg exp factorial floor gcd hypot lcm ln \
    log log10 log2 max min mod pow rad round sign sin sinh sqrt sum tan tanh trunc pi e tau ans";
/// The most decimals that `round` takes.
const MAX_ROUND: i32 = 1000;

pub(super) fn constant(name: &str) -> Option<Number> {
    match name {
        "pi" => Some(Number::Float(std::f64::consts::PI)),
        "e" => Some(Number::Float(std::f64::consts::E)),
        "tau" => Some(Number::Float(std::f64::consts::TAU)),
        _ => None,
    }
}

pub(super) fn unknown(name: &str, place: usize) -> String {
    let nearest = NAMES.split(' ').min_by_key(|known| strsim::levenshtein(known, &name.to_lowercase()));
    at(place, &format!("unknown name {name:?}; did you mean {:?}?", nearest.unwrap_or_default()))
}

/// `place` is where the name stands.
pub(super) fn call(name: &str, arguments: Vec<Number>, place: usize) -> Computed {
    let given = arguments.len();
    let computed = match arguments.as_slice() {
        [x] => of_one(name, x),
        [x, y] => of_two(name, x, y),
        _ => None,
    };
    computed.or_else(|| of_many(name, arguments)).unwrap_or_else(|| {
        if NAMES.split(' ').any(|known| known == name) {
            return Err(at(place, &format!("{name} does not take {given} arguments")));
        }
        Err(unknown(name, place))
    })
}

fn of_one(name: &str, x: &Number) -> Option<Computed> {
    let near = x.to_f64();
    let value = match name {
        "abs" => return Some(Ok(if x.is_negative() { x.clone().negated() } else { x.clone() })),
        "sqrt" => return Some(x.square_root()),
        "factorial" => return Some(x.factorial()),
        "floor" => return Some(x.clone().floored()),
        "ceil" => return Some(x.clone().negated().floored().map(Number::negated)),
        "trunc" if x.is_negative() => return Some(x.clone().negated().floored().map(Number::negated)),
        "trunc" => return Some(x.clone().floored()),
        "round" => return Some(x.clone().rounded(0)),
        "sign" => return Some(Ok(Number::whole(if x.is_negative() { -1 } else { i32::from(near != 0.0) }))),
        "cbrt" => near.cbrt(),
        "exp" => near.exp(),
        "ln" | "log" => near.ln(),
        "log2" => near.log2(),
        "log10" => near.log10(),
        "sin" => near.sin(),
        "cos" => near.cos(),
        "tan" => near.tan(),
        "asin" => near.asin(),
        "acos" => near.acos(),
        "atan" => near.atan(),
        "sinh" => near.sinh(),
        "cosh" => near.cosh(),
        "tanh" => near.tanh(),
        "deg" => near.to_degrees(),
        "rad" => near.to_radians(),
        _ => return None,
    };
    Some(Number::float(value))
}

fn of_two(name: &str, x: &Number, y: &Number) -> Option<Computed> {
    let value = match name {
        "mod" => return Some(x.clone().modulo(y.clone())),
        "pow" => return Some(x.clone().power(y)),
        "gcd" => return Some(x.divisor(y, false)),
        "lcm" => return Some(x.divisor(y, true)),
        "round" => {
            let decimals = y.as_whole().and_then(|whole| whole.to_i32()).filter(|whole| whole.abs() <= MAX_ROUND);
            let decimals = decimals.ok_or_else(|| format!("round takes up to {MAX_ROUND} decimals"));
            return Some(decimals.and_then(|decimals| x.clone().rounded(decimals)));
        }
        "log" => x.to_f64().ln() / y.to_f64().ln(),
        "atan2" => x.to_f64().atan2(y.to_f64()),
        "hypot" => x.to_f64().hypot(y.to_f64()),
        _ => return None,
    };
    Some(Number::float(value))
}

fn of_many(name: &str, arguments: Vec<Number>) -> Option<Computed> {
    let count = arguments.len();
    let mut arguments = arguments.into_iter();
    let first = arguments.next()?;
    match name {
        "max" => Some(Ok(arguments.fold(first, |best, next| if best.is_less_than(&next) { next } else { best }))),
        "min" => Some(Ok(arguments.fold(first, |best, next| if next.is_less_than(&best) { next } else { best }))),
        "sum" => Some(arguments.try_fold(first, Number::plus)),
        "avg" => Some(arguments.try_fold(first, Number::plus).and_then(|sum| sum.over(Number::whole(count)))),
        _ => None,
    }
}
