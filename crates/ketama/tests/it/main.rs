//! Ketama: what the original library answers, and what public fault reports ask for.

mod golden;
mod reports;
mod weights;
mod world;
