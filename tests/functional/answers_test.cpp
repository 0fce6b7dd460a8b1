#include "tests/functional/saga_fixture.hpp"

namespace sagabox::testing {
namespace {

using ::testing::HasSubstr;

/// `Made` goes to a, which is undone by what it answered, then to b.
class Answers : public SagaTest {
protected:
    Config undone_by_answer(const std::string& path = "$.id")
    {
        stub.on("/b", answer(400));
        return config()
            .with("outbox.maxRetries = 1")
            .with(fmt::format(R"(outbox.http.routes.a {{ url = "{}"
                                 revert {{ url = "{}", extract {{ id = "response:{}" }} }} }})",
                              stub.url("/a"), stub.url("/undo/{id}"), path))
            .route("b", stub)
            .fanout("Made", {"a", "b"});
    }
};

TEST_F(Answers, succeed_by_their_status_whatever_the_body_is)
{
    struct Row {
        Reply reply;
        std::string stored;
    };
    const auto with = [](std::string type, std::string body) {
        return Reply{.headers = {{"Content-Type", std::move(type)}}, .body = std::move(body)};
    };
    const std::vector<Row> rows{
        {{.status = 204}, ""},
        {with("application/json", ""), ""},
        {with("text/plain", "OK"), R"({"raw": "OK", "contentType": "text/plain"})"},
        {with("text/html", "<p>OK"), R"({"raw": "<p>OK", "contentType": "text/html"})"},
        {with("application/json", R"({"id":)"),
         R"({"raw": "{\"id\":", "contentType": "application/json"})"},
        {with("application/json", "7"), "7"},
        {with("text/plain", "[1]"), "[1]"},
        {with("application/json", R"({"id":12.10})"), R"({"id": 12.10})"},
        {{.body = R"({"chunked":true})", .manner = Reply::Manner::chunked}, R"({"chunked": true})"},
    };
    Config text = config();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string name = fmt::format("d{}", i);
        stub.on("/" + name, rows[i].reply);
        text.route(name, stub);
    }
    StartedRelay relay(text);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string name = fmt::format("d{}", i);
        const std::string event = emit(name, name);
        await_status(event, "PROCESSED");
        EXPECT_EQ(arrivals("/" + name), 1U) << i;
        EXPECT_EQ(results(event), name + " succeeded");
        EXPECT_EQ(result(event, name, "success"), "t");
        const std::string stored = result(event, name, "response_payload");
        if (rows[i].stored.empty()) {
            EXPECT_EQ(stored, "") << i;
        } else {
            EXPECT_EQ(sql->one("select $1::jsonb = $2::jsonb", {stored, rows[i].stored}), "t")
                << stored;
        }
    }
}

TEST_F(Answers, that_break_off_are_unknown_and_never_used_as_if_they_were_whole)
{
    using Manner = Reply::Manner;
    const std::string body = R"({"id":"half"})";
    for (const Manner manner : {Manner::cut_body, Manner::cut_chunks, Manner::bad_chunk,
                                Manner::cut_headers, Manner::garbage}) {
        stub.on("/a", {.body = body, .manner = manner}).then(answer(200, R"({"id":"whole"})"));
        stub.on("/undo/whole", answer(200));
        const std::string aggregate = std::to_string(static_cast<int>(manner));
        StartedRelay relay(undone_by_answer());
        const std::string event = emit(aggregate, "Made");
        await_end(event, "PROCESSED");
        EXPECT_EQ(results(event), "a unknown, a succeeded, b rejected, a.revert succeeded")
            << aggregate;
        EXPECT_EQ(arrivals("/undo/half"), 0U);
    }
}

TEST_F(Answers, above_a_mebibyte_are_kept_cut_and_never_used)
{
    stub.on("/a", {.headers = {{"Content-Type", "application/json"}},
                   .body = R"({"id":"x","rest":")",
                   .filler = 3U << 20U});
    StartedRelay relay(undone_by_answer());
    const std::string event = emit("1", "Made");
    await_end(event, "FAILED");
    EXPECT_EQ(results(event), "a succeeded, b rejected");
    EXPECT_EQ(result(event, "a", "response_payload ->> 'truncated'"), "true");
    EXPECT_EQ(result(event, "a", "length(response_payload ->> 'raw')"), std::to_string(1U << 20U));
    EXPECT_THAT(letter(event, "revert_error"), HasSubstr("id"));
    EXPECT_THAT(letter(event, "revert_error"), HasSubstr("cut"));
    EXPECT_EQ(stub.arrivals().size(), 2U);
}

TEST_F(Answers, are_stored_though_jsonb_would_refuse_what_they_hold)
{
    struct Row {
        std::string body;
        std::string check; ///< on `response_payload`, called p
    };
    const std::vector<Row> rows{
        {R"({"text":"a\u0000b"})", "p ->> 'text' = 'a' || chr(65533) || 'b'"},
        {R"({"text":"a\\u0000b"})", R"(p ->> 'text' = 'a\u0000b')"},
        {"{\"text\":\"\xff\"}", "p ->> 'raw' like '%' || chr(65533) || '%'"},
        {std::string("\x00\x01\x02", 3), "p ->> 'raw' is not null"},
        {R"({"text":"\ud800"})", "p ->> 'raw' is not null"},
        {R"({"n":1e400})", "length(p ->> 'n') = 401"},
        {R"({"n":123456789012345678901234567890})", "p ->> 'n' = '123456789012345678901234567890'"},
        {R"({"n":12.10})", "p ->> 'n' = '12.10'"},
        {R"({"n":1e999999999})", "p ->> 'raw' is not null"},
        {R"({"n":1,"n":2})", "p ->> 'n' = '2'"},
        {std::string(5000, '['), "p ->> 'raw' is not null"},
    };
    Config text = config();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string name = fmt::format("d{}", i);
        stub.on("/" + name, answer(200, rows[i].body));
        text.route(name, stub);
    }
    StartedRelay relay(text);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string name = fmt::format("d{}", i);
        const std::string event = emit(name, name);
        await_status(event, "PROCESSED");
        EXPECT_EQ(results(event), name + " succeeded");
        EXPECT_EQ(sql->one("select " + rows[i].check +
                               " from (select response_payload p from aggregate_results where "
                               "event_id = $1) r",
                           {event}),
                  "t")
            << rows[i].check << ": " << result(event, name, "left(response_payload::text, 200)");
        EXPECT_EQ(arrivals("/" + name), 1U);
    }
}

TEST_F(Answers, keep_a_numbers_digits_on_the_way_into_a_url)
{
    const std::string many = "123456789012345678901234567890";
    stub.on("/a", answer(200, R"({"id":)" + many + "}"))
        .then(answer(200, R"({"id":9007199254740993})"))
        .then(answer(200, R"({"id":12.10})"));
    StartedRelay relay(undone_by_answer());
    for (const std::string& digits :
         {many, std::string("9007199254740993"), std::string("12.10")}) {
        stub.on("/undo/" + digits, answer(200));
        const std::string event = emit(digits, "Made");
        await_end(event, "PROCESSED");
        EXPECT_EQ(arrivals("/undo/" + digits), 1U);
    }
}

TEST_F(Answers, are_compared_by_their_digits_where_a_route_hangs_on_a_number)
{
    stub.on("/a", answer(200, R"({"id":9007199254740993,"ten":10.0,"text":"10"})"));
    for (const std::string name : {"id", "neighbour", "ten", "text"}) {
        stub.on("/" + name, answer(200));
    }
    const auto route = [this](const std::string& name, const std::string& path,
                              const std::string& value) {
        return fmt::format("outbox.http.routes.{} {{ url = \"{}\", condition {{ jsonPath = \"{}\", "
                           "operator = eq, value = \"{}\", previousDestination = a }} }}",
                           name, stub.url("/" + name), path, value);
    };
    StartedRelay relay(config()
                           .route("a", stub)
                           .with(route("id", "$.id", "9007199254740993"))
                           .with(route("neighbour", "$.id", "9007199254740992"))
                           .with(route("ten", "$.ten", "10"))
                           .with(route("text", "$.text", "10.0"))
                           .fanout("Made", {"a", "id", "neighbour", "ten", "text"}));
    const std::string event = emit("1", "Made");
    await_status(event, "PROCESSED");
    EXPECT_EQ(calls(), "POST /a, POST /id, POST /ten");
    EXPECT_EQ(results(event),
              "a succeeded, id succeeded, neighbour skipped, ten succeeded, text skipped");
}

} // namespace
} // namespace sagabox::testing
