mod documents;
mod escaping;
mod forms;
mod script;
