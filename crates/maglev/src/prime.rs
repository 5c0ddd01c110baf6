//! Primes, of which a table's size is one.

/// Whether `n` is a prime. Takes time in the square root of `n`.
pub(crate) fn is_prime(n: u64) -> bool {
    let divides = |d: &u64| n.is_multiple_of(*d);
    n >= 2 && !(2..).take_while(|d| d * d <= n).any(|d| divides(&d))
}

/// The next prime below and the next above `n`, which is no prime and above 2.
pub(crate) fn neighbours(n: u64) -> (u64, u64) {
    let below = (2..n).rev().find(|&it| is_prime(it));
    let above = (n + 1..).find(|&it| is_prime(it));
    below.zip(above).expect("2 is below, and primes never end")
}
