//! Heap bytes, counted by the allocator, for every strategy alike.
#![allow(unsafe_code)] // A global allocator cannot be written without; it only counts and passes on.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

/// The system's allocator, with a count of the bytes that each thread holds.
///
/// The program installs it; where it is not installed, `memory` is unsupported.
#[derive(Debug)]
pub struct CountingAlloc;

thread_local! {
    // No destructor and no lazy allocation, so it may be touched from within the allocator.
    static LIVE: Cell<i64> = const { Cell::new(0) };
}

fn count(bytes: i64) {
    // A thread that is being torn down may have lost its cell; nothing is measured there.
    let _ = LIVE.try_with(|live| live.set(live.get() + bytes));
}

/// Counts bytes, unless the system refused them.
fn given(ptr: *mut u8, bytes: i64) -> *mut u8 {
    if !ptr.is_null() {
        count(bytes);
    }
    ptr
}

fn size(layout: Layout) -> i64 {
    i64::try_from(layout.size()).unwrap_or(i64::MAX)
}

// SAFETY: every method passes its arguments on to `System` unchanged and returns what it returned;
// counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for CountingAlloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds `alloc`'s contract, which is the same one.
        given(unsafe { System.alloc(layout) }, size(layout))
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count(-size(layout));
        // SAFETY: `ptr` came from `System` through this allocator, with this layout.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`. Passed on as it is, so that the system's fresh pages stay lazy.
        given(unsafe { System.alloc_zeroed(layout) }, size(layout))
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let grown = i64::try_from(new_size).unwrap_or(i64::MAX) - size(layout);
        // SAFETY: `ptr` came from `System` through this allocator, with this layout.
        given(unsafe { System.realloc(ptr, layout, new_size) }, grown)
    }
}

/// Runs `make` and returns what it made with the heap bytes that it still holds; `None` where the
/// counting allocator is not installed. Counts this thread alone.
pub(crate) fn heap_bytes<T>(make: impl FnOnce() -> T) -> (T, Option<u64>) {
    let before = LIVE.get();
    let made = make();
    let held = LIVE.get() - before;
    let installed = {
        let before = LIVE.get();
        let probe = std::hint::black_box(Box::new(0_u64));
        let counted = LIVE.get() != before;
        drop(probe);
        counted
    };
    (made, installed.then(|| u64::try_from(held).unwrap_or(0)))
}
