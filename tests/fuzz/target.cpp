#include "tests/fuzz/target.hpp"

#include <algorithm>

namespace sagabox::fuzz {

void require(bool promise, std::string_view what)
{
    if (!promise) {
        throw Broken(std::string(what));
    }
}

std::vector<std::string_view> pieces(std::string_view input, std::size_t count)
{
    std::vector<std::string_view> out;
    while (out.size() + 1 < count) {
        const std::size_t end = std::min(input.find('\n'), input.size());
        out.push_back(input.substr(0, end));
        input.remove_prefix(std::min(end + 1, input.size()));
    }
    out.push_back(input);
    return out;
}

std::size_t count_of(std::string_view text, std::string_view characters)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [&](char c) {
        return characters.find(c) != std::string_view::npos;
    }));
}

bool breaks_lines(std::string_view text)
{
    return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

const std::vector<Target>& targets()
{
    static const std::vector<Target> all = {
        {"json", &json},
        {"json_path", &json_path},
        {"retry_after", &retry_after},
        {"config", &config},
        {"body_template", &body_template},
        {"url_template", &url_template},
        {"request", &request},
        {"answer", &answer},
        {"api", &api},
        {"mail", &mail},
        {"smtp_reply", &smtp_reply},
    };
    return all;
}

} // namespace sagabox::fuzz
