#include "api/console_pages.hpp"

#include "api/console_files.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace sagabox::api {

namespace {

// Nothing but our own scripts and styles runs, nothing is loaded from elsewhere, and no text can
// become markup: a string given to innerHTML throws. A message's preview is a frame of ours whose
// own policy forbids everything.
constexpr const char* policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'";

constexpr std::string_view hashed_files = "/assets/";

http::Response with_headers(http::Response response, std::string_view content_type,
                            std::string_view keep)
{
    response.headers = {{"Content-Type", std::string(content_type)},
                        {"Cache-Control", std::string(keep)},
                        {"Content-Security-Policy", policy},
                        {"X-Content-Type-Options", "nosniff"},
                        {"X-Frame-Options", "DENY"},
                        {"Referrer-Policy", "no-referrer"},
                        {"Cross-Origin-Opener-Policy", "same-origin"},
                        {"Cross-Origin-Resource-Policy", "same-origin"}};
    return response;
}

http::Response plain(int status, std::string_view text)
{
    http::Response response;
    response.status = status;
    response.body = text;
    return with_headers(std::move(response), "text/plain; charset=utf-8", "no-store");
}

http::Response file_answer(const ConsoleFile& file)
{
    http::Response response;
    response.body = file.text;
    return with_headers(std::move(response), file.content_type,
                        file.path.starts_with(hashed_files) ? "public, max-age=31536000, immutable"
                                                            : "no-cache");
}

const ConsoleFile* find_file(std::string_view path)
{
    const auto found = std::find_if(console_files.begin(), console_files.end(),
                                    [path](const ConsoleFile& file) { return file.path == path; });
    return found == console_files.end() ? nullptr : &*found;
}

bool is_of_the_program(std::string_view path)
{
    return path == "/api" || path.starts_with("/api/") || path == "/metrics" ||
           path == "/healthz" || path == "/readyz";
}

/// Pages are named without an extension; a file that is not there must not look like one that is.
bool may_be_a_page(std::string_view path)
{
    return !path.starts_with(hashed_files) && path.find('.') == std::string_view::npos;
}

} // namespace

std::optional<http::Response> console_page(const http::Request& request)
{
    if (is_of_the_program(request.path)) {
        return std::nullopt;
    }
    if (request.method != "GET") {
        http::Response refused = plain(405, "This address takes GET alone.\n");
        refused.headers.emplace_back("Allow", "GET, HEAD");
        return refused;
    }
    if (const ConsoleFile* file = find_file(request.path)) {
        return file_answer(*file);
    }
    if (!may_be_a_page(request.path)) {
        return plain(404, "There is nothing at this address.\n");
    }
    if (const ConsoleFile* index = find_file("/index.html")) {
        return file_answer(*index);
    }
    return plain(404,
                 "This program was built without its console; the API is at /api/openapi.json.\n");
}

} // namespace sagabox::api
