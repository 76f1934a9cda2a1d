//! The Discord adapter through its door: a real serenity client in a fake Discord.

mod access;
mod audiences;
mod commands;
mod connection;
mod delivering;
mod doing;
mod forgetting;
mod hearing;
mod itself;
mod life;
mod pairing;
mod personas;
mod pins;
mod reminders;
mod repairs;
pub mod rig;
mod seeing;
mod speaking;
mod tongues;
mod world;
