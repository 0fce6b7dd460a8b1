#include "config/operating_declarations.hpp"
#include "config/spans.hpp"

namespace sagabox::config {

namespace {

using namespace spans;

constexpr Setting health_settings[] = {
    {"maxAge", Kind::duration, "15 minutes",
     "`/readyz` is red while an event that could be taken has waited longer than this", 1,
     30 * day},
    {"destinationDownAfter", Kind::duration, "5 minutes",
     "`/readyz` is red once a destination has brought nothing but failures for so long", 1, day},
    {"stuckAfter", Kind::duration, "30 seconds",
     "`/healthz` is red once a worker's event loop has stood still for so long", 2 * second, hour},
};

constexpr Setting metrics_settings[] = {
    {"surveyInterval", Kind::duration, "15 seconds",
     "How often the database is asked for the figures that only it knows", 100, hour},
};

constexpr std::string_view levels = "debug info warning error";

constexpr Setting log_levels_settings[] = {
    {"saga", Kind::choice, "", "Calls and what follows from them", 0, 0, levels},
    {"worker", Kind::choice, "", "Claiming", 0, 0, levels},
    {"lease", Kind::choice, "", "Renewing leases", 0, 0, levels},
    {"gate", Kind::choice, "", "Destinations left alone, and back", 0, 0, levels},
    {"mail", Kind::choice, "", "Providers and messages", 0, 0, levels},
    {"purge", Kind::choice, "", "Deleting what was kept long enough", 0, 0, levels},
    {"listener", Kind::choice, "", "`LISTEN`", 0, 0, levels},
    {"journal", Kind::choice, "", "Writing results down", 0, 0, levels},
    {"database", Kind::choice, "", "Connections", 0, 0, levels},
    {"http", Kind::choice, "", "The server", 0, 0, levels},
    {"api", Kind::choice, "", "The API", 0, 0, levels},
    {"config", Kind::choice, "", "Reading the file anew", 0, 0, levels},
    {"relay", Kind::choice, "", "Start and stop", 0, 0, levels},
};

constexpr Setting log_settings[] = {
    {"format", Kind::choice, "text", "Lines for people, or one JSON object a line", 0, 0,
     "text json"},
    {"level", Kind::choice, "info", "Lines below it are left out", 0, 0, levels},
    {"levels", Kind::section, "", "A part's own level; absent: `level`", 0, 0, "",
     &log_levels_section},
};

constexpr Setting network_settings[] = {
    {"deny", Kind::networks, "",
     "Addresses, blocks (`10.0.0.0/8`), or `loopback`, `private`, `linkLocal`, `any`; absent: "
     "nobody, or with `allow` everybody else"},
    {"allow", Kind::networks, "", "The same; wins over `deny`"},
};

} // namespace

const Section health_section{"health", "What `/readyz` and `/healthz` judge by.", health_settings};
const Section metrics_section{"metrics", "What `/metrics` tells.", metrics_settings};
const Section log_section{"log", "What is written to standard error.", log_settings};
const Section log_levels_section{"log.levels", "Parts of the program that speak more or less.",
                                 log_levels_settings};
const Section network_section{
    "network",
    "Whom a call may reach, judged by the address that the socket connects to, redirects included.",
    network_settings};

} // namespace sagabox::config
