#include "shop/fields.hpp"

#include <nlohmann/json.hpp>

namespace shop {
namespace {

/// Keeps the members of the outermost object and passes over what lies deeper. The parser's own
/// tree would turn `100.10` into a binary number.
class Collector final : public nlohmann::json_sax<nlohmann::json> {
public:
    bool null() override { return keep(Fields::Kind::other, {}); }
    bool boolean(bool) override { return keep(Fields::Kind::other, {}); }
    bool number_integer(number_integer_t value) override
    {
        return keep(Fields::Kind::number, std::to_string(value));
    }
    bool number_unsigned(number_unsigned_t value) override
    {
        return keep(Fields::Kind::number, std::to_string(value));
    }
    bool number_float(number_float_t, const string_t& digits) override
    {
        return keep(Fields::Kind::number, digits);
    }
    bool string(string_t& value) override { return keep(Fields::Kind::text, std::move(value)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return enter(); }
    bool key(string_t& name) override
    {
        if (depth_ == 1) {
            name_ = name;
        }
        return true;
    }
    bool end_object() override { return leave(); }
    bool start_array(std::size_t) override { return depth_ > 0 && enter(); }
    bool end_array() override { return leave(); }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override
    {
        return false;
    }

    std::map<std::string, Fields::Field, std::less<>> fields;

private:
    bool keep(Fields::Kind kind, std::string text)
    {
        if (depth_ == 1) {
            fields[name_] = {.kind = kind, .text = std::move(text)};
        }
        return depth_ > 0;
    }
    bool enter()
    {
        if (depth_ == 1) {
            fields[name_] = {};
        }
        ++depth_;
        return true;
    }
    bool leave()
    {
        --depth_;
        return true;
    }

    int depth_ = 0;
    std::string name_;
};

} // namespace

std::optional<Fields> Fields::read(std::string_view body)
{
    Collector collector;
    if (!nlohmann::json::sax_parse(body.begin(), body.end(), &collector)) {
        return std::nullopt;
    }
    Fields fields;
    fields.fields_ = std::move(collector.fields);
    return fields;
}

const Fields::Field* Fields::find(std::string_view name) const
{
    const auto found = fields_.find(name);
    return found == fields_.end() ? nullptr : &found->second;
}

Json Fields::scalar(std::string_view name) const
{
    const Field* field = find(name);
    if (field == nullptr || field->kind == Kind::other ||
        field->text.find('\0') != std::string::npos) {
        return nullptr;
    }
    return field->kind == Kind::number ? Json::number(field->text) : Json(field->text);
}

} // namespace shop
