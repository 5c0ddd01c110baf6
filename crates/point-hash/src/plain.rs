//! Small hashes that mix little: what a ring loses with them is what they are here for.

/// FNV-1a of `bytes` with 64 bits: a byte is xored in, then all is multiplied.
#[must_use]
#[inline]
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// CRC-32 of `bytes`, as zip and Ethernet have it (reflected polynomial 0xedb88320).
#[must_use]
#[inline]
pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (crc >> 8) ^ CRC_OF_BYTE[((crc ^ u32::from(byte)) & 0xff) as usize]
    })
}

/// The remainder of every byte.
const CRC_OF_BYTE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ (0xedb8_8320 * (crc & 1));
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};
