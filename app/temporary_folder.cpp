#include "app/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace sagabox::app {

Result<TemporaryFolder> TemporaryFolder::make()
{
    std::string name = "/var/tmp/sagabox-once-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
        return fail(Fault::Kind::refused, std::string("No temporary folder below /var/tmp: ") +
                                              std::strerror(errno) + "; name one with --data");
    }
    return TemporaryFolder(name);
}

TemporaryFolder::TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {}))
{
}

TemporaryFolder::~TemporaryFolder()
{
    if (!path_.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
}

} // namespace sagabox::app
