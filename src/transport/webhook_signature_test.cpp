#include "transport/webhook_signature.hpp"

#include "base/base64.hpp"

#include <gtest/gtest.h>

namespace sagabox::transport {
namespace {

TEST(WebhookSignature, is_that_of_the_reference_libraries)
{
    // The vector that the libraries of Standard Webhooks test themselves by.
    const std::string key = decode_base64("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").value();
    EXPECT_EQ(webhook_signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1'614'265'330,
                                R"({"test": 2432232314})"),
              "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(WebhookSignature, depends_on_each_of_its_parts)
{
    const std::string one = webhook_signature("key", "id", 1, "body");
    EXPECT_EQ(webhook_signature("key", "id", 1, "body"), one);
    EXPECT_NE(webhook_signature("other", "id", 1, "body"), one);
    EXPECT_NE(webhook_signature("key", "other", 1, "body"), one);
    EXPECT_NE(webhook_signature("key", "id", 2, "body"), one);
    EXPECT_NE(webhook_signature("key", "id", 1, ""), one);
}

} // namespace
} // namespace sagabox::transport
