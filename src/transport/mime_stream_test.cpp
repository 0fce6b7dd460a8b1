#include "transport/mime_stream.hpp"

#include <gtest/gtest.h>

namespace sagabox::transport {
namespace {

std::string quoted_printable(std::string_view text)
{
    std::string out;
    append_quoted_printable(out, text);
    return out;
}

std::string base64(std::string_view bytes)
{
    std::string out;
    append_base64_lines(out, bytes);
    return out;
}

std::string whole(const std::vector<std::string>& headers, const MimePart& body)
{
    MimeStream stream(headers, body);
    const std::size_t announced = stream.size();
    std::string out;
    while (stream.read(out)) {
    }
    EXPECT_EQ(announced, out.size());
    return out;
}

MimePart text_part(std::string content)
{
    return {.content_type = "text/plain",
            .headers = {},
            .content = std::move(content),
            .encoding = MimePart::Encoding::quoted_printable,
            .parts = {}};
}

TEST(QuotedPrintable, keeps_what_is_plain_and_encodes_the_rest)
{
    EXPECT_EQ(quoted_printable("a=b ~!"), "a=3Db ~!");
    EXPECT_EQ(quoted_printable("\xc3\xa4"), "=C3=A4");
    EXPECT_EQ(quoted_printable(std::string_view("\0\x7f\r", 3)), "=00=7F=0D");
}

TEST(QuotedPrintable, makes_every_line_feed_a_line_break)
{
    EXPECT_EQ(quoted_printable("a\nb\r\nc"), "a\r\nb\r\nc");
    EXPECT_EQ(quoted_printable("\n"), "\r\n");
}

TEST(QuotedPrintable, hides_blanks_at_the_end_of_a_line)
{
    EXPECT_EQ(quoted_printable("a \nb\t"), "a=20\r\nb=09");
    EXPECT_EQ(quoted_printable("a b"), "a b");
}

TEST(QuotedPrintable, has_lines_of_76_characters_at_most)
{
    for (const std::string_view text : {"x", "=", "\xc3\xa4"}) {
        for (std::size_t count = 1; count < 200; ++count) {
            std::string many;
            for (std::size_t i = 0; i < count; ++i) {
                many += text;
            }
            const std::string out = quoted_printable(many) + "\r\n";
            std::size_t begin = 0;
            for (std::size_t end = out.find("\r\n"); end != std::string::npos;
                 end = out.find("\r\n", begin)) {
                ASSERT_LE(end - begin, 76U);
                begin = end + 2;
            }
        }
    }
    EXPECT_EQ(quoted_printable(std::string(76, 'x')), std::string(76, 'x'));
}

TEST(Base64Lines, are_of_76_characters)
{
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==\r\n");
    EXPECT_EQ(base64("fo"), "Zm8=\r\n");
    EXPECT_EQ(base64("foo"), "Zm9v\r\n");
    EXPECT_EQ(base64(std::string(57, '\0')), std::string(76, 'A') + "\r\n");
    EXPECT_EQ(base64(std::string(60, '\0')), std::string(76, 'A') + "\r\nAAAA\r\n");
}

TEST(Dots, are_doubled_where_a_line_begins)
{
    EXPECT_EQ(dots_doubled(".a\r\n..\r\nb.c\r\n"), "..a\r\n...\r\nb.c\r\n");
    EXPECT_EQ(dots_doubled("a.\r\n"), "a.\r\n");
}

TEST(MimeStream, ends_with_a_line_whatever_the_text)
{
    const std::string head = "Subject: x\r\nContent-Type: text/plain\r\n"
                             "Content-Transfer-Encoding: quoted-printable\r\n\r\n";
    EXPECT_EQ(whole({"Subject: x"}, text_part("")), head);
    EXPECT_EQ(whole({"Subject: x"}, text_part("a")), head + "a\r\n");
    EXPECT_EQ(whole({"Subject: x"}, text_part("a\n")), head + "a\r\n");
}

TEST(MimeStream, separates_the_parts_of_a_multipart)
{
    MimePart body{.content_type = "multipart/mixed",
                  .headers = {},
                  .content = {},
                  .encoding = MimePart::Encoding::base64,
                  .parts = {text_part("a"), text_part("b\n")}};
    EXPECT_EQ(whole({}, body), "Content-Type: multipart/mixed;\r\n"
                               " boundary=\"=_part_1_\"\r\n"
                               "\r\n"
                               "--=_part_1_\r\n"
                               "Content-Type: text/plain\r\n"
                               "Content-Transfer-Encoding: quoted-printable\r\n"
                               "\r\n"
                               "a\r\n"
                               "--=_part_1_\r\n"
                               "Content-Type: text/plain\r\n"
                               "Content-Transfer-Encoding: quoted-printable\r\n"
                               "\r\n"
                               "b\r\n"
                               "\r\n"
                               "--=_part_1_--\r\n");
}

TEST(MimeStream, comes_in_pieces_much_smaller_than_a_large_message)
{
    MimePart body = text_part(std::string(std::size_t{3} << 20, '.'));
    for (std::size_t i = 0; i < body.content.size(); i += 100) {
        body.content[i] = '\n';
    }
    for (const auto encoding : {MimePart::Encoding::base64, MimePart::Encoding::quoted_printable}) {
        body.encoding = encoding;
        MimeStream stream({}, body);
        std::size_t bytes = 0;
        std::string piece;
        while (stream.read(piece)) {
            EXPECT_LT(piece.size(), std::size_t{200} << 10);
            bytes += piece.size();
            piece.clear();
        }
        EXPECT_EQ(bytes, stream.size());
    }
}

} // namespace
} // namespace sagabox::transport
