//! Caps, placing, the published effect of a bound, and long walks.

mod caps;
mod effect;
mod placing;
mod specs;
mod walk;
mod world;
