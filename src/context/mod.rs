//! The context pipeline.
//!
//! Owns turning what is known into the messages of one model request. Must not know how a prompt is sent or
//! where a reply goes. Start reading at [`st`].

pub mod st;
