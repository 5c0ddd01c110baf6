//! Ketama: what the original library answers, and what public fault reports ask for.

mod contract;
mod golden;
mod names;
mod nginx;
mod reports;
mod variants;
mod weights;
mod world;
