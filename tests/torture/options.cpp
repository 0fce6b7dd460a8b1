#include "tests/torture/options.hpp"

#include <charconv>
#include <string_view>

namespace sagabox::torture {

namespace {

template <class T>
bool read_number(std::string_view text, T& into)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    return error == std::errc{} && end == text.data() + text.size();
}

} // namespace

const char* const usage =
    "usage: torture [--minutes N | --seconds N] [--seed S] [--relays N] [--folder DIR]\n";

std::optional<Options> options_of(int argc, char** argv)
{
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i];
        const std::string_view value = argv[i + 1];
        bool understood = true;
        if (name == "--minutes") {
            understood = read_number(value, options.seconds);
            options.seconds *= 60;
        } else if (name == "--seconds") {
            understood = read_number(value, options.seconds);
        } else if (name == "--seed") {
            understood = read_number(value, options.seed);
        } else if (name == "--relays") {
            understood = read_number(value, options.relays);
        } else if (name == "--folder") {
            options.folder = value;
        } else {
            understood = false;
        }
        if (!understood) {
            return std::nullopt;
        }
    }
    const bool in_pairs = argc % 2 == 1;
    if (!in_pairs || options.seconds < 1 || options.relays < 1) {
        return std::nullopt;
    }
    return options;
}

} // namespace sagabox::torture
