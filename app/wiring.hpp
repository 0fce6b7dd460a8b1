#pragma once

#include "base/fault.hpp"
#include "config/settings.hpp"
#include "engine/options.hpp"
#include "pg/connection.hpp"
#include "pg/embedded.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace sagabox::app {

/// Reads a configuration; prints every problem, a line each, to standard error where it has any.
[[nodiscard]] std::optional<config::Settings> load_or_explain(const std::string& file);
void print_problems(const std::vector<config::Problem>& problems);

[[nodiscard]] pg::Options database_options(const config::Settings& settings,
                                           const std::string& url);
[[nodiscard]] std::optional<engine::MailOptions> mail_options(const config::Settings& settings);
[[nodiscard]] engine::Options relay_options(const config::Settings& settings,
                                            const std::string& url);

/// The database that a configuration names, or an embedded one where it names none.
struct DatabaseAtHand {
    std::unique_ptr<pg::EmbeddedCluster> embedded; ///< null: somebody else's server
    std::string url;
};
[[nodiscard]] Result<DatabaseAtHand> database_at_hand(const config::Settings& settings,
                                                      const std::filesystem::path& data);

/// Where the embedded database lives when nobody says: a folder that its own user can reach.
[[nodiscard]] std::filesystem::path default_data_folder();

} // namespace sagabox::app
