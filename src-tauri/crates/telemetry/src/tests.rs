mod mapping;
mod properties;
mod script;
mod sending;
