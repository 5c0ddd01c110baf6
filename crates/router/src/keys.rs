//! Keys in one contiguous buffer.

use std::ops::Range;

/// A borrowed list of keys: bytes one behind the other, and where each ends.
///
/// Copying it is free. Keys are any bytes: not necessarily UTF-8, possibly empty, possibly long.
#[derive(Clone, Copy, Debug)]
pub struct Keys<'a> {
    bytes: &'a [u8],
    /// `bounds[i] .. bounds[i + 1]` are the bytes of key `i`; one more entry than keys.
    bounds: &'a [usize],
}

impl<'a> Keys<'a> {
    /// The number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Whether there is no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of key `i`.
    ///
    /// # Panics
    ///
    /// When `i` is not below [`Keys::len`].
    #[must_use]
    #[inline]
    pub fn get(&self, i: usize) -> &'a [u8] {
        &self.bytes[self.bounds[i]..self.bounds[i + 1]]
    }

    /// The keys with these places.
    ///
    /// # Panics
    ///
    /// When the range does not lie within the list.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        Self {
            bytes: self.bytes,
            bounds: &self.bounds[range.start..=range.end],
        }
    }

    /// The keys in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [u8]> + use<'a> {
        let bytes = self.bytes;
        self.bounds
            .windows(2)
            .map(move |bound| &bytes[bound[0]..bound[1]])
    }
}

/// An owned list of keys that grows at its end.
#[derive(Clone, Debug)]
pub struct KeyBuf {
    bytes: Vec<u8>,
    bounds: Vec<usize>,
}

impl Default for KeyBuf {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            bounds: vec![0],
        }
    }
}

impl KeyBuf {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends `key`.
    #[inline]
    pub fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.bounds.push(self.bytes.len());
    }

    /// Drops all keys and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.bounds.truncate(1);
    }

    /// The whole list, borrowed.
    #[must_use]
    pub fn keys(&self) -> Keys<'_> {
        Keys {
            bytes: &self.bytes,
            bounds: &self.bounds,
        }
    }

    /// The number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Whether there is no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<K: AsRef<[u8]>> FromIterator<K> for KeyBuf {
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        let mut buf = Self::new();
        for key in keys {
            buf.push(key.as_ref());
        }
        buf
    }
}
