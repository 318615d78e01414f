import { createRoot } from "react-dom/client";
import { mount } from "./app/mount";
import { tauriPlatform } from "./platform/tauri";

const root = document.getElementById("root");
if (root) void mount(createRoot(root), tauriPlatform);
