#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/schema.hpp"
#include "app/wiring.hpp"

#include <iostream>

namespace sagabox::app {

int migrate(const std::string& file)
{
    const std::optional<config::Settings> settings = load_or_explain(file);
    if (!settings) {
        return misuse;
    }
    const Result<DatabaseAtHand> database = database_at_hand(*settings, default_data_folder());
    if (!database) {
        std::cerr << database.error().text() << '\n';
        return failed;
    }
    const Result<store::Migrated> migrated =
        migrate_once(database_options(*settings, database->url));
    if (!migrated) {
        std::cerr << migrated.error().text() << '\n';
        return failed;
    }
    for (const std::string& name : migrated->applied) {
        std::cout << "applied " << name << '\n';
    }
    std::cout << "schema version " << migrated->after << '\n';
    return done;
}

} // namespace sagabox::app
