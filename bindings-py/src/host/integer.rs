//! Integers of any size, exactly, whatever limit the interpreter has on decimal digits.

use num_bigint::BigInt;
use pyo3::prelude::*;
use pyo3::types::PyInt;

/// Digits up to which `num-bigint` reads a number in one piece: its way is quadratic.
const PIECE: usize = 10_000;

/// The decimal digits of `value`; nothing where there are more than `most`.
pub(super) fn digits(value: &Bound<'_, PyInt>, most: usize) -> PyResult<Option<String>> {
    if let Ok(small) = value.extract::<i64>() {
        return Ok(Some(small.to_string()));
    }
    // A digit takes more than three bits.
    let bits: usize = value.call_method0("bit_length")?.extract()?;
    if bits / 4 > most {
        return Ok(None);
    }
    Ok(Some(value.extract::<BigInt>()?.to_string()))
}

/// The integer that `text`, decimal digits with or without a sign, spells.
pub(super) fn integer<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(small) = text.parse::<i64>() {
        return Ok(small.into_pyobject(py)?.into_any());
    }
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let magnitude = if digits.len() > PIECE { py.detach(|| magnitude(digits)) } else { magnitude(digits) };
    let value = if negative { -magnitude } else { magnitude };
    Ok(value.into_pyobject(py)?.into_any())
}

/// Halves long digits and puts the parts together again, which takes far less than quadratic time.
fn magnitude(digits: &str) -> BigInt {
    if digits.len() <= PIECE {
        return digits.parse().unwrap_or_default();
    }
    let mut powers = vec![(PIECE, BigInt::from(10_u8).pow(10_000))];
    while let Some((length, power)) = powers.last() {
        if length * 2 >= digits.len() {
            break;
        }
        let next = (length * 2, power * power);
        powers.push(next);
    }
    join(digits, &powers)
}

fn join(digits: &str, powers: &[(usize, BigInt)]) -> BigInt {
    let Some(((length, power), smaller)) = powers.split_last() else { return digits.parse().unwrap_or_default() };
    match digits.len().checked_sub(*length).and_then(|at| digits.split_at_checked(at)) {
        Some((high, low)) if !high.is_empty() => join(high, smaller) * power + join(low, smaller),
        _ => join(digits, smaller),
    }
}
