#pragma once

#include "config/settings.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace sagabox::config {

/// Every problem on a line, as `check` would print them.
inline std::string problems_of(const Loaded& loaded)
{
    std::string out;
    for (const Problem& problem : loaded.problems) {
        out += problem.place + ": " + problem.text + "\n";
    }
    return out;
}

inline std::string problems_in(const std::string& text)
{
    return problems_of(load_text(text, "shop.conf"));
}

inline Settings settings_in(const std::string& text)
{
    Loaded loaded = load_text(text, "shop.conf");
    if (!loaded.settings) {
        throw std::runtime_error(problems_of(loaded));
    }
    return *std::move(loaded.settings);
}

/// Exactly one problem, at `place`, whose text holds `words`.
inline void expect_problem(const std::string& text, const std::string& place,
                           const std::string& words)
{
    const Loaded loaded = load_text(text, "shop.conf");
    const std::string all = problems_of(loaded);
    EXPECT_FALSE(loaded.settings) << text;
    ASSERT_EQ(loaded.problems.size(), 1U) << text << "\n" << all;
    EXPECT_EQ(loaded.problems[0].place, place) << all;
    EXPECT_NE(loaded.problems[0].text.find(words), std::string::npos) << all;
}

/// An environment variable for the length of a test.
class Variable {
public:
    Variable(std::string name, const std::string& value) : name_(std::move(name))
    {
        ::setenv(name_.c_str(), value.c_str(), 1);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    ~Variable() { ::unsetenv(name_.c_str()); }

private:
    std::string name_;
};

/// A folder of files, gone with the test.
class Folder {
public:
    Folder()
    {
        std::string pattern = ::testing::TempDir() + "sagabox-config-XXXXXX";
        root_ = ::mkdtemp(pattern.data());
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(root_); }

    std::string write(const std::string& name, const std::string& text) const
    {
        const std::filesystem::path path = root_ / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
        return path.string();
    }
    [[nodiscard]] std::string path(const std::string& name) const
    {
        return (root_ / name).string();
    }

private:
    std::filesystem::path root_;
};

} // namespace sagabox::config
