//! The members of a dict, one after the other.
//!
//! The iterator of `pyo3` panics when the dict has changed on the way, which another thread may do on an interpreter
//! without a global lock, and it costs a good part of the time of a whole walk.
#![expect(unsafe_code, reason = "`PyDict_Next` has no safe face that neither panics nor copies")]

use std::ptr::null_mut;

use pyo3::ffi::PyDict_Next;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::PyDict;

/// Tells `take` of each member, up to the first error. A dict that changes on the way gives what is there by then.
#[inline]
pub(super) fn each<'py, E>(
    dict: &Bound<'py, PyDict>,
    mut take: impl FnMut(&Bound<'py, PyAny>, &Bound<'py, PyAny>) -> Result<(), E>,
) -> Result<(), E> {
    let py = dict.py();
    with_critical_section(dict, || {
        let mut at = 0;
        let (mut key, mut value) = (null_mut(), null_mut());
        // SAFETY: the dict is alive, and locked where there is a lock for it; its place is one that was given back.
        while unsafe { PyDict_Next(dict.as_ptr(), &raw mut at, &raw mut key, &raw mut value) } != 0 {
            // SAFETY: a member that was found has both. They are held on to before anything else is done.
            let (key, value) = unsafe { (Bound::from_borrowed_ptr(py, key), Bound::from_borrowed_ptr(py, value)) };
            take(&key, &value)?;
        }
        Ok(())
    })
}
