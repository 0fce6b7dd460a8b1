#include "core/mail_memory.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace sagabox::core {

namespace {

constexpr std::array<std::pair<MailFault, std::string_view>, 5> labels{{
    {MailFault::none, "none"},
    {MailFault::provider, "provider"},
    {MailFault::size, "size"},
    {MailFault::recipients, "recipients"},
    {MailFault::message, "message"},
}};

std::string text_at(const json::Value& value, std::string_view name)
{
    const json::Value* found = value.find(name);
    const std::string* text = found == nullptr ? nullptr : found->as_string();
    return text == nullptr ? std::string() : *text;
}

MailFault fault_of(const StepResult& row)
{
    const std::string label = row.response ? text_at(*row.response, "fault") : std::string();
    for (const auto& [fault, name] : labels) {
        if (name == label) {
            return fault;
        }
    }
    return MailFault::none;
}

void add(std::vector<std::string>& names, const std::string& name)
{
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
    }
}

void remove(std::vector<std::string>& names, const std::string& name)
{
    names.erase(std::remove(names.begin(), names.end(), name), names.end());
}

/// Who may have got it, each with the provider that may have sent it.
using Doubts = std::map<std::string, std::string>;

void remember_recipients(MailMemory& memory, Doubts& doubts, const StepResult& row,
                         const std::string& provider)
{
    const json::Value* listed = row.response ? row.response->find("recipients") : nullptr;
    if (listed == nullptr || listed->as_array() == nullptr) {
        return;
    }
    for (const json::Value& entry : *listed->as_array()) {
        const std::string address = text_at(entry, "address");
        const std::string state = text_at(entry, "state");
        if (state == "accepted") {
            add(memory.accepted, address);
            remove(memory.refused, address);
            doubts.erase(address);
        } else if (row.forgiven) {
            doubts.erase(address); // whoever asked for it again knows that it may come twice
        } else if (state == "refused") {
            add(memory.refused, address);
            doubts.erase(address);
        } else if (state == "unknown" || row.interrupted > 0) {
            // A worker that was lost before this try may have handed it over, as this one may.
            doubts[address] = provider;
        }
    }
}

void remember_round(MailMemory& memory, const StepResult& row, const std::string& provider)
{
    if (row.attempt != memory.attempts) {
        memory.attempts = row.attempt;
        memory.tried.clear();
        memory.only_size = true;
    }
    add(memory.tried, provider);
    memory.fault = fault_of(row);
    memory.only_size = memory.only_size && memory.fault == MailFault::size;
    if (memory.fault == MailFault::recipients) {
        memory.preferred = provider;
    } else if (memory.fault == MailFault::provider && memory.preferred == provider) {
        memory.preferred.clear();
    }
    memory.last = &row;
}

} // namespace

std::string_view to_label(MailFault fault)
{
    for (const auto& [known, name] : labels) {
        if (known == fault) {
            return name;
        }
    }
    return "none";
}

MailMemory remember_mail(const History& history, std::string_view destination)
{
    MailMemory memory;
    Doubts doubts;
    for (const StepResult& row : history.results) {
        if (row.destination != destination || row.direction != Direction::forward ||
            row.outcome == Outcome::skipped) {
            continue;
        }
        const std::string provider = text_at(row.request, "provider");
        remember_recipients(memory, doubts, row, provider);
        if (!row.forgiven) {
            remember_round(memory, row, provider);
        }
    }
    if (!doubts.empty()) {
        memory.pinned = doubts.begin()->second;
    }
    return memory;
}

} // namespace sagabox::core
