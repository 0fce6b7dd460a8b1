#include "pg/sqlstate.hpp"

#include <gtest/gtest.h>

namespace sagabox::pg {
namespace {

using Kind = Fault::Kind;

TEST(Sqlstate, says_what_to_do_next)
{
    const std::pair<const char*, Kind> expected[] = {
        {"08006", Kind::connection}, {"08P01", Kind::connection}, {"57P01", Kind::connection},
        {"57P02", Kind::connection}, {"57P03", Kind::connection}, {"53300", Kind::connection},
        {"53100", Kind::connection}, {"58030", Kind::connection}, {"26000", Kind::connection},
        {"42P05", Kind::connection}, {"25006", Kind::read_only},  {"40001", Kind::conflict},
        {"40P01", Kind::conflict},   {"55P03", Kind::conflict},   {"57014", Kind::timeout},
        {"23505", Kind::refused},    {"42601", Kind::refused},    {"42501", Kind::refused},
        {"22021", Kind::refused},    {"XX000", Kind::refused},    {"", Kind::refused},
    };
    for (const auto& [code, kind] : expected) {
        EXPECT_EQ(kind_of_sqlstate(code), kind) << code;
    }
}

} // namespace
} // namespace sagabox::pg
