#pragma once

#include "base/fault.hpp"

#include <filesystem>
#include <optional>

namespace sagabox::app {

/// A fresh folder that is gone, with all that is in it, when its object is.
class TemporaryFolder {
public:
    /// Below /var/tmp, whose parents every user may pass: the database's server may run as another.
    [[nodiscard]] static Result<TemporaryFolder> make();

    ~TemporaryFolder();
    TemporaryFolder(TemporaryFolder&& other) noexcept;
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    explicit TemporaryFolder(std::filesystem::path path);

    std::filesystem::path path_; ///< empty: moved from
};

} // namespace sagabox::app
