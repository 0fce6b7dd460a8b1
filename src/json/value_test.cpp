#include "json/value.hpp"

#include <gtest/gtest.h>

namespace sagabox::json {
namespace {

std::string names_of(const Object& object)
{
    std::string names;
    for (const auto& [name, value] : object) {
        names += names.empty() ? name : " " + name;
    }
    return names;
}

// `select '{"b":1,"aa":2,"a":3,"b":4,"é":1,"zz":0}'::jsonb` in PostgreSQL 15.
TEST(Object, keeps_its_names_in_the_order_of_jsonb)
{
    Object object;
    for (const char* name : {"b", "aa", "a", "é", "zz"}) {
        object.set(name, true);
    }
    EXPECT_EQ(names_of(object), "a b aa zz é");
}

TEST(Object, lets_the_last_of_two_equal_names_win)
{
    Object object;
    object.set("a", "first");
    object.set("b", "other");
    object.set("a", "second");
    EXPECT_EQ(object.size(), 2U);
    EXPECT_EQ(*object.find("a"), Value("second"));
}

TEST(Object, is_the_same_whether_built_at_once_or_member_by_member)
{
    std::vector<Object::Member> members;
    Object one_by_one;
    for (int i = 0; i < 1000; ++i) {
        const std::string name = "n" + std::to_string(i * 7919 % 400);
        members.emplace_back(name, Value::integer(i));
        one_by_one.set(name, Value::integer(i));
    }
    EXPECT_EQ(Object::from_members(members), one_by_one);
    EXPECT_EQ(one_by_one.size(), 400U);
}

TEST(Object, finds_and_erases_by_name_and_nothing_else)
{
    Object object;
    object.set("", Null{});
    object.set("k", true);
    EXPECT_NE(object.find(""), nullptr);
    EXPECT_EQ(object.find("K"), nullptr);
    EXPECT_FALSE(object.erase("kk"));
    EXPECT_TRUE(object.erase("k"));
    EXPECT_FALSE(object.erase("k"));
    EXPECT_EQ(names_of(object), "");
    EXPECT_EQ(object.size(), 1U);
}

TEST(Value, equals_by_structure_and_numbers_by_their_digits)
{
    EXPECT_EQ(Value(Array{Value("a"), Value(Null{})}), Value(Array{Value("a"), Value(Null{})}));
    EXPECT_NE(Value(Number{"10"}), Value(Number{"10.0"}));
    EXPECT_NE(Value("1"), Value::integer(1));
    EXPECT_NE(Value(false), Value(Null{}));
    EXPECT_NE(Value(Array{}), Value(Object{}));
}

TEST(Value, does_not_take_a_pointer_or_an_int_for_a_bool)
{
    EXPECT_FALSE((std::is_constructible_v<Value, int>));
    EXPECT_FALSE((std::is_constructible_v<Value, const void*>));
    EXPECT_NE(Value(true).as_bool(), nullptr);
    EXPECT_NE(Value("text").as_string(), nullptr);
}

TEST(Value, has_members_only_when_it_is_an_object)
{
    EXPECT_EQ(Value("k").find("k"), nullptr);
    EXPECT_EQ(Value(Array{}).find("0"), nullptr);
}

} // namespace
} // namespace sagabox::json
