#pragma once

#include <span>
#include <string_view>

namespace sagabox::api {

/// A file of the built console.
struct ConsoleFile {
    std::string_view path; ///< `/index.html`, `/assets/index-1a2b3c4d.js`
    std::string_view content_type;
    std::string_view text;
};

/// All of them, embedded at build; empty where Sagabox was built without its console.
extern const std::span<const ConsoleFile> console_files;

} // namespace sagabox::api
