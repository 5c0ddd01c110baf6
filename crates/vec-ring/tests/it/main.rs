//! The halved rings: what the published program answers, and the search itself.

mod halving;
mod ruby;
mod world;
