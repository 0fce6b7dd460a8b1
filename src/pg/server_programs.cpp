#include "pg/server_programs.hpp"

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace sagabox::pg {

namespace {

namespace fs = std::filesystem;

bool holds_programs(const fs::path& folder)
{
    return access((folder / "postgres").c_str(), X_OK) == 0 &&
           access((folder / "initdb").c_str(), X_OK) == 0;
}

fs::path newest_of_debian()
{
    fs::path newest;
    int newest_version = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", error)) {
        const std::string name = entry.path().filename();
        int version = 0;
        std::from_chars(name.data(), name.data() + name.size(), version);
        if (version > newest_version && holds_programs(entry.path() / "bin")) {
            newest = entry.path() / "bin";
            newest_version = version;
        }
    }
    return newest;
}

fs::path first_in_path()
{
    const char* const variable = std::getenv("PATH");
    std::string_view rest = variable == nullptr ? "" : variable;
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
        if (!folder.empty() && holds_programs(folder)) {
            return folder;
        }
    }
    return {};
}

} // namespace

Result<fs::path> find_server_programs()
{
    if (const char* const given = std::getenv("SAGABOX_PG_BIN")) {
        if (!holds_programs(given)) {
            return fail(Fault::Kind::bad_input,
                        fmt::format("SAGABOX_PG_BIN names a folder without the programs postgres "
                                    "and initdb: {}",
                                    given));
        }
        return given;
    }
    for (fs::path folder : {first_in_path(), newest_of_debian()}) {
        if (!folder.empty()) {
            return folder;
        }
    }
    return fail(
        Fault::Kind::bad_input,
        "PostgreSQL's server programs are not here. Install the package postgresql, or set "
        "SAGABOX_PG_BIN to the folder that holds postgres and initdb, or give database.url");
}

} // namespace sagabox::pg
