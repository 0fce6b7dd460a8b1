#pragma once

#include "api/forms.hpp"
#include "app/exit_code.hpp"
#include "app/question.hpp"
#include "app/record_options.hpp"
#include "json/value.hpp"

#include <iostream>
#include <optional>
#include <string>
#include <utility>

namespace sagabox::app {

/// Puts a question to the database that the options name, and hands the answer to `show`, which
/// prints it and gives the exit code. Faults are told and counted as failures.
template <class T, class Show>
int ask_and_show(const RecordOptions& options, Question<T> question, Show show)
{
    const std::optional<config::Settings> settings = load_or_explain(options.file);
    if (!settings) {
        return misuse;
    }
    const Result<T> answer = ask_database<T>(*settings, std::move(question));
    if (!answer) {
        std::cerr << answer.error().text() << '\n';
        return failed;
    }
    return show(*answer, api::Forms(*settings->plan));
}

inline int print_json(const json::Value& value)
{
    std::cout << json::write(value) << '\n';
    return done;
}

/// For people: where to go on.
inline void print_next(std::optional<std::int64_t> next)
{
    if (next) {
        std::cout << "more: --before " << *next << '\n';
    }
}

inline std::string time_text(const std::optional<DbTime>& at)
{
    const json::Value value = api::moment(at);
    const std::string* text = value.as_string();
    return text == nullptr ? "-" : *text;
}

/// A record's members one by one, each on a line.
void print_members(const json::Value& record);

} // namespace sagabox::app
