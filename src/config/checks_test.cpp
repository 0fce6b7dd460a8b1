#include "config/config_fixture.hpp"

namespace sagabox::config {
namespace {

std::string with_route(const std::string& body)
{
    return "outbox.http.routes.a {\n" + body + "\n}";
}

TEST(Checks, names_an_unknown_key_with_its_file_line_and_nearest_known_key)
{
    expect_problem("outbox {\n  bacthSize = 5\n}", "shop.conf:2: outbox.bacthSize",
                   "unknown key \"bacthSize\". Did you mean \"batchSize\"?");
    expect_problem("database.urll = \"postgresql://h/d\"", "shop.conf:1: database.urll",
                   "Did you mean \"url\"?");
    expect_problem("outbox.http.zzz = 1", "shop.conf:1: outbox.http.zzz",
                   "Known here: routes, fanout");
    expect_problem(with_route("url = \"http://h/a\"\nrevert { url = \"http://h/a\", extracts {} }"),
                   "shop.conf:3: outbox.http.routes.a.revert.extracts", "\"extract\"");
}

TEST(Checks, leaves_sections_of_other_programs_alone)
{
    settings_in("play { http.secret.key = \"changeme\" }\n"
                "slick.dbs.default { profile = x, db.numThreads = 3 }\n"
                "blocking-jdbc { executor = thread-pool-executor }\n"
                "mailer { whatever = 1 }\nakka.loglevel = INFO\n");
}

TEST(Checks, notices_a_misspelt_outbox)
{
    expect_problem("outbxo { batchSize = 1 }", "shop.conf:1: outbxo", "Did you mean \"outbox\"?");
}

TEST(Checks, refuses_each_scalar_out_of_range_or_of_the_wrong_kind)
{
    const std::pair<const char*, const char*> cases[] = {
        {"outbox.batchSize = 0", "1 to 10000"},
        {"outbox.batchSize = 10001", "1 to 10000"},
        {"outbox.batchSize = -5", "out of range"},
        {"outbox.batchSize = 1.5", "whole number"},
        {"outbox.batchSize = many", "whole number"},
        {"outbox.batchSize = 99999999999999999999", "too large"},
        {"outbox.batchSize = [1]", "single value"},
        {"outbox.batchSize { a = 1 }", "single value"},
        {"outbox.poolSize = 65", "1 to 64"},
        {"outbox.maxRetries = 1001", "0 to 1000"},
        {"outbox.dlq.maxRetries = -1", "0 to 1000"},
        {"outbox.pollInterval = soon", "not a duration"},
        {"outbox.pollInterval = \"-2 s\"", "negative"},
        {"outbox.pollInterval = 0", "out of range"},
        {"outbox.leaseDuration = 1 ms", "100 ms to 1 days"},
        {"outbox.staleEventTimeoutMinutes = 0", "1 to 1440"},
        {"outbox.useListenNotify = maybe", "neither true nor false"},
        {"outbox.ordering = strict", "aggregate, none"},
        {"outbox.backoff.kind = quadratic", "exponential, linear"},
        {"outbox.backoff.jitter = 1.5", "0 to 1"},
        {"outbox.backoff { base = 10 s, max = 5 s }", "larger than its max"},
        {"outbox.backoff = 5", "section"},
        {"outbox = 5", "section"},
        {"http.port = 65536", "0 to 65535"},
        {"http.port = 80x", "whole number"},
        {"http.address = \"0.0.0.0\"", "http.auth.token"},
        {"http.auth.token = \"\"", "empty"},
        {"database.url = \"mysql://h/d\"", "PostgreSQL"},
        {"database.url = \"\"", "PostgreSQL"},
        {"database.url = \"jdbc:postgresql://h/d\"", "jdbc:"},
        {"database.schema = \"a b\"", "schema"},
        {"database.schema = pg_x", "schema"},
        {"service.failure.rates.billing.charge = 1.5", "0 to 1"},
        {"service.failure.rates.billing.charge = often", "not a number"},
    };
    for (const auto& [text, words] : cases) {
        const Loaded loaded = load_text(text, "shop.conf");
        ASSERT_EQ(loaded.problems.size(), 1U) << text << "\n" << problems_of(loaded);
        EXPECT_NE(loaded.problems[0].text.find(words), std::string::npos) << problems_of(loaded);
        EXPECT_TRUE(loaded.problems[0].place.starts_with("shop.conf:1: ")) << problems_of(loaded);
    }
}

TEST(Checks, refuses_each_bad_value_of_a_route)
{
    const std::string url = "url = \"http://h/a\"\n";
    const std::pair<std::string, const char*> cases[] = {
        {"url = \"ftp://h/a\"", "not a usable URL"},
        {"url = \"http://\"", "not a usable URL"},
        {"url = \"http://{host}/a\"", "not a usable URL"},
        {"url = \"\"", "not a usable URL"},
        {"", "needs a url"},
        {url + "routes = [{url = \"http://h/b\"}]", "not both"},
        {"routes = []", "list of sections"},
        {"routes = [{method = PUT}]", "say where the route goes"},
        {url + "method = \"PO ST\"", "HTTP method"},
        {url + "timeout = never", "not a duration"},
        {url + "timeout = 0", "out of range"},
        {url + "headers { \"X Y\" = 1 }", "not a header's name"},
        {url + "headers { X = \"a\\r\\nEvil: 1\" }", "control character"},
        {url + "headers { X.Y = 1 }", "quotes"},
        {url + "condition { jsonPath = \"$[\", value = 1 }", "JSONPath"},
        {url + "condition { jsonPath = \"$.a\", operator = \"==\", value = 1 }", "use one of eq"},
        {url + "condition { jsonPath = \"$.a\", operator = eq }", "compare with"},
        {url + "condition { jsonPath = \"$.a\", operator = lt, value = high }", "number"},
        {url + "condition { value = 1 }", "looks at"},
        {url + "condition { jsonPath = \"$.a\", value = 1, previousDestination = b }",
         "no destination \"b\""},
        {url + "retryAfter { format = minutes }", "use one of auto"},
        {url + "retryAfter { fromBody = true }", "jsonPath"},
        {url + "retryAfter { fallbackSeconds = -1 }", "out of range"},
        {url + "retryAfter { headerName = \"a b\" }", "header"},
        {url + "classify { success = [99] }", "not a status"},
        {url + "classify { success = 409 }", "list of statuses"},
        {url + "classify { success = [409], reject = [409] }", "two lists"},
        {url + "sign {}", "needs whsec_"},
        {url + "sign { secret = abcd }", "needs whsec_"},
        {url + "sign { secret = \"whsec_bm90IGxvbmcgZW5vdWdo\" }", "24 to 64 random bytes"},
        {url + "sign { secret = \"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw=\" }", "needs whsec_"},
        {url + "revert {}", "where the revert goes"},
        {url + "revert { url = \"http://h/{id}\" }", "nothing fills the placeholder {id}"},
        {url + "revert { url = \"http://h/\", extract { id = \"header:$.x\" } }", "response:"},
        {url + "revert { url = \"http://h/\", extract { idempotencyKey = \"$.x\" } }",
         "always known"},
        {url + "revert { url = \"http://h/\", payload = \"{\\\"a\\\": \" }", "JSON body"},
        {url + "revert { url = \"http://h/\", payload { a = \"{amout}\" }, extract { amount = "
               "\"$.amount\" } }",
         "Did you mean \"amount\"?"},
        {url + "revert { url = \"http://h/\", sign { secret = abcd } }", "needs whsec_"},
    };
    for (const auto& [text, words] : cases) {
        const Loaded loaded = load_text(with_route(text), "shop.conf");
        ASSERT_EQ(loaded.problems.size(), 1U) << text << "\n" << problems_of(loaded);
        EXPECT_NE(loaded.problems[0].text.find(words), std::string::npos) << problems_of(loaded);
    }
}

TEST(Checks, knows_the_idempotency_key_in_every_revert)
{
    settings_in(with_route("url = \"http://h/a\", revert { url = \"http://h/{idempotencyKey}\" }"));
}

TEST(Checks, refuses_a_route_that_hides_those_after_it)
{
    expect_problem(with_route("routes = [{ url = \"http://h/a\" },\n"
                              "{ url = \"http://h/b\" }]"),
                   "shop.conf:2: outbox.http.routes.a.routes[0].condition", "never reached");
    settings_in(
        with_route("routes = [{ url = \"http://h/a\", condition { jsonPath = \"$.x\", operator = "
                   "exists } }, { url = \"http://h/b\" }]"));
}

TEST(Checks, refuses_a_condition_beside_routes)
{
    expect_problem(with_route("condition { jsonPath = \"$.x\", value = 1 }\n"
                              "routes = [{ url = \"http://h/a\" }]"),
                   "shop.conf:2: outbox.http.routes.a.condition", "each route");
}

TEST(Checks, refuses_a_name_that_would_be_taken_for_a_revert)
{
    expect_problem("outbox.http.routes.\"a.revert\".url = \"http://h/\"",
                   "shop.conf:1: outbox.http.routes.\"a.revert\"", "another name");
}

TEST(Checks, refuses_bad_fanouts)
{
    const std::string routes = "outbox.http.routes { inventory.url = \"http://h/\" }\n";
    const std::pair<const char*, const char*> cases[] = {
        {"X = [\"invetory\"]", "Did you mean \"inventory\"?"},
        {"X = []", "empty"},
        {"X = inventory", "list of destinations"},
        {"X = [\"inventory\", \"inventory\"]", "twice"},
        {"\"!X\" = [\"inventory\"]", "cancellation"},
        {"order.created = [\"inventory\"]", "quotes"},
        {"X = [[\"inventory\"]]", "name of a destination"},
    };
    for (const auto& [text, words] : cases) {
        const Loaded loaded =
            load_text(routes + "outbox.http.fanout { " + text + " }", "shop.conf");
        ASSERT_EQ(loaded.problems.size(), 1U) << text << "\n" << problems_of(loaded);
        EXPECT_TRUE(loaded.problems[0].place.starts_with("shop.conf:2: outbox.http.fanout."));
        EXPECT_NE(loaded.problems[0].text.find(words), std::string::npos) << problems_of(loaded);
    }
}

TEST(Checks, wants_the_previous_destination_earlier_in_every_fanout)
{
    const std::string routes =
        "outbox.http.routes { fraud.url = \"http://h/f\"\n"
        "billing { url = \"http://h/b\", condition { jsonPath = \"$.s\", value = 1\n"
        "previousDestination = fraud } } }\n";
    settings_in(routes + "outbox.http.fanout { A = [fraud, billing], B = [fraud] }");
    expect_problem(routes + "outbox.http.fanout { A = [fraud, billing], B = [billing, fraud] }",
                   "shop.conf:3: outbox.http.routes.billing.condition.previousDestination",
                   "fan-out of \"B\"");
    expect_problem(routes + "outbox.http.fanout { A = [billing] }",
                   "shop.conf:3: outbox.http.routes.billing.condition.previousDestination",
                   "does not come before");
}

TEST(Checks, refuses_outcome_sql_that_could_not_run)
{
    const auto outcome = [](const std::string& sql) {
        return "outbox.outcomes.X.completed = \"" + sql + "\"";
    };
    expect_problem(outcome("UPDATE o SET s = 1 WHERE id = :order_id"),
                   "shop.conf:1: outbox.outcomes.X.completed", ":order_id");
    expect_problem(outcome("COMMIT"), "shop.conf:1: outbox.outcomes.X.completed", "transaction");
    expect_problem("outbox.outcomes.X.done = \"select 1\"", "shop.conf:1: outbox.outcomes.X.done",
                   "unknown key");
}

TEST(Checks, tells_every_problem_at_once_in_the_order_of_the_file)
{
    const Loaded loaded = load_text("outbox {\n"
                                    "  batchSize = 0\n"
                                    "  colour = blue\n"
                                    "  http.routes {\n"
                                    "    a { url = \"nope\" }\n"
                                    "    b { url = \"http://h/\", timeout = x }\n"
                                    "  }\n"
                                    "  http.fanout { X = [c] }\n"
                                    "}\n",
                                    "shop.conf");
    std::vector<std::string> places;
    for (const Problem& problem : loaded.problems) {
        places.push_back(problem.place);
    }
    EXPECT_EQ(places, (std::vector<std::string>{"shop.conf:2: outbox.batchSize",
                                                "shop.conf:3: outbox.colour",
                                                "shop.conf:5: outbox.http.routes.a.url",
                                                "shop.conf:6: outbox.http.routes.b.timeout",
                                                "shop.conf:8: outbox.http.fanout.X"}))
        << problems_of(loaded);
    EXPECT_FALSE(loaded.settings);
}

} // namespace
} // namespace sagabox::config
