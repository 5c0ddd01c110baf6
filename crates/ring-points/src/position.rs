//! Positions: the numbers on a ring.

use std::fmt::Debug;

use router::Position;

/// A number that can be a position on a ring: its values in order, the first behind the last.
pub trait RingPosition: Copy + Ord + Debug + Send + Sync + 'static {
    /// The smallest position.
    const MIN: Self;

    /// Returns the position as the contract shows it.
    fn shown(self) -> Position;

    /// Returns how far it is from `from` up to `self`, wrapping past the end, in parts of 2^128 of
    /// the ring; 0 when the two are equal.
    fn since(self, from: Self) -> u128;

    /// Returns the first `n_bits` bits of how far it is from the smallest position: of 2^`n_bits` equal
    /// parts of the ring, the one in which it lies. `n_bits` is from 1 to 32.
    fn top_bits(self, n_bits: u32) -> usize;
}

/// Implements the trait for an integer, by the unsigned integer of its width.
macro_rules! ring_position {
    ($integer:ty, $unsigned:ty, $shown:expr) => {
        impl RingPosition for $integer {
            const MIN: Self = <$integer>::MIN;

            fn shown(self) -> Position {
                $shown(self.into())
            }

            fn since(self, from: Self) -> u128 {
                let steps = u128::from(self.wrapping_sub(from) as $unsigned);
                steps << (u128::BITS - <$unsigned>::BITS)
            }

            #[inline]
            fn top_bits(self, n_bits: u32) -> usize {
                let steps = self.wrapping_sub(Self::MIN) as $unsigned;
                (steps >> (<$unsigned>::BITS - n_bits)) as usize
            }
        }
    };
}

ring_position!(u32, u32, Position::Unsigned);
ring_position!(u64, u64, Position::Unsigned);
ring_position!(u128, u128, Position::Unsigned);
ring_position!(i32, u32, Position::Signed);
