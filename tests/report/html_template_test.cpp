// Pages of users: what is filled in, what is refused, and that a report's text is never a placeholder.
#include "report/html_template.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "report/html_document.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string problem(std::string_view text) {
  try {
    check_html_template("page.html", text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "none";
}

TEST(HtmlTemplate, TheBuiltInPageIsOne) {
  EXPECT_EQ(problem(default_html_template()), "none");
}

TEST(HtmlTemplate, WordsAreFilledInOnce) {
  const HtmlParts parts{"{{content}}", "a{b:c}", "<p>{{title}} {{style}}</p>"};
  EXPECT_EQ(filled_html_template("<t>{{title}}</t>{{style}}|{{content}}|{{title}}", parts),
            "<t>{{content}}</t>a{b:c}|<p>{{title}} {{style}}</p>|{{content}}");
}

TEST(HtmlTemplate, OtherBracesAreText) {
  EXPECT_EQ(filled_html_template("{{ title }} {{{{content}}}} {{ {{", {"", "", "x"}), "{{ title }} {{x}} {{ {{");
}

TEST(HtmlTemplate, RefusesAPageWithoutContentOrWithAnUnknownWord) {
  EXPECT_THAT(problem("<p>{{title}}</p>"), AllOf(HasSubstr("page.html"), HasSubstr("{{content}}")));
  EXPECT_THAT(problem(""), HasSubstr("{{content}}"));
  EXPECT_THAT(problem("{{content}} {{titel}}"), AllOf(HasSubstr("'titel'"), HasSubstr("Did you mean 'title'")));
  EXPECT_THAT(problem("{{content}}\xFF"), HasSubstr("UTF-8"));
}

TEST(HtmlTemplate, ADocumentStandsInIt) {
  Document document;
  document.title = "<{{style}}>";
  document.sections = {{"first", "First", {Paragraph{"text"}}}};
  const std::string html = html_document(document, Medium::kScreen, "<our-page>{{title}}{{content}}</our-page>");
  EXPECT_THAT(html, AllOf(::testing::StartsWith("<our-page>&lt;{{style}}&gt;"), HasSubstr("<section id=\"first\">"),
                          ::testing::EndsWith("</our-page>")));
}

}  // namespace
}  // namespace transformeter
