// {{word}} is looked for from left to right.
#include "report/html_template.h"

#include <fmt/format.h>

#include <functional>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "base/version.h"

namespace transformeter {
namespace {

constexpr const char* kWords[] = {"title", "style", "content", "version"};

// Calls one of both for each piece, in order. Braces without a word of small letters are text.
void for_each_piece(std::string_view text, const std::function<void(std::string_view)>& on_text,
                    const std::function<void(std::string_view)>& on_word) {
  while (!text.empty()) {
    const auto begin = text.find("{{");
    const auto end = begin == text.npos ? text.npos : text.find("}}", begin);
    if (end == text.npos) return on_text(text);
    const std::string_view word = text.substr(begin + 2, end - begin - 2);
    const bool is_word = !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == word.npos;
    on_text(text.substr(0, is_word ? begin : begin + 2));
    if (is_word) on_word(word);
    text.remove_prefix(is_word ? end + 2 : begin + 2);
  }
}

}  // namespace

std::string_view default_html_template() {
  return R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="transformeter {{version}}">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{title}} - transformeter</title>
<style>
{{style}}</style>
</head>
<body>
{{content}}</body>
</html>
)";
}

void check_html_template(const std::string& name, std::string_view text) {
  if (first_invalid_utf8(text)) throw refused_value("template", name, "it is not valid UTF-8");
  bool has_content = false;
  const auto ignore = [](std::string_view) {};
  for_each_piece(text, ignore, [&](std::string_view word) {
    has_content = has_content || word == "content";
    for (const char* known : kWords) {
      if (word == known) return;
    }
    throw unknown_value(fmt::format("template '{}': placeholder", name), word, {std::begin(kWords), std::end(kWords)});
  });
  if (!has_content) {
    throw refused_value("template", name, "it has no {{content}}, where the report is to stand",
                        "docs/reports.md has one to begin with.");
  }
}

std::string filled_html_template(std::string_view text, const HtmlParts& parts) {
  std::string html;
  for_each_piece(
      text, [&](std::string_view piece) { html.append(piece); },
      [&](std::string_view word) {
        if (word == "title") html += parts.title;
        if (word == "style") html += parts.style;
        if (word == "content") html += parts.content;
        if (word == "version") html += program_version();
      });
  return html;
}

}  // namespace transformeter
