//! What Java does with strings.

/// `String.hashCode` of the text whose UTF-8 is `key`; invalid parts count as U+FFFD.
///
/// Over UTF-16 units `u`: `h = 31 h + u`, wrapping in 32 bits. Takes time linear in the key.
#[must_use]
#[inline]
pub fn java_hash_code(key: &[u8]) -> i32 {
    if key.is_ascii() {
        return java_hash_code_of_ascii(key);
    }
    decode_utf16(key).into_iter().fold(0, |hash: i32, unit| {
        hash.wrapping_mul(31).wrapping_add(i32::from(unit))
    })
}

/// `String.hashCode` where every byte is one character.
#[must_use]
#[inline]
pub fn java_hash_code_of_ascii(key: &[u8]) -> i32 {
    key.iter().fold(0, |hash: i32, &byte| {
        hash.wrapping_mul(31).wrapping_add(i32::from(byte))
    })
}

/// The UTF-16 units of the text whose UTF-8 is `key`; invalid parts become U+FFFD.
#[must_use]
pub fn decode_utf16(key: &[u8]) -> Vec<u16> {
    String::from_utf8_lossy(key).encode_utf16().collect()
}
