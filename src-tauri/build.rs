//! Generates what Tauri needs: the context, the capabilities, the icon of the executable.

fn main() {
    println!("cargo:rerun-if-changed=src-tauri/capabilities");
    let attributes = tauri_build::Attributes::new().capabilities_path_pattern("src-tauri/capabilities/**/*");
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo:warning={error:#}");
        std::process::exit(1);
    }
}
