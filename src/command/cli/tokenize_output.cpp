// Columns and keys that would say nothing are left out: types and texts of a single text, places of decoded ids.
#include "cli/tokenize_output.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "cli/standard_output.h"
#include "cli/text_table.h"

namespace transformeter {
namespace {

// Control characters would spoil the table.
std::string shown(std::string_view text) {
  std::string line = Json(std::string(text)).dump();
  return line.substr(1, line.size() - 2);
}

std::string table_of_decoded(const TokenizedText& one) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < one.tokens.size(); ++i) {
    rows.push_back({std::to_string(i), std::to_string(one.tokens[i].id), shown(one.tokens[i].text)});
  }
  return text_table({{"position", true}, {"id", true}, {"token"}}, rows) + fmt::format("text: {}\n", shown(one.text));
}

std::vector<std::string> row_of(const TokenizedText& one, std::size_t position) {
  const Token& token = one.tokens[position];
  const std::string_view text = token.in_second ? *one.pair : one.text;
  std::vector<std::string> row = {std::to_string(position), std::to_string(token.id), shown(token.text)};
  if (one.pair) {
    row.push_back(std::to_string(token.type_id));
    row.emplace_back(token.special ? "" : token.in_second ? "second" : "first");
  }
  row.push_back(token.special ? "" : fmt::format("{}-{}", token.characters.begin, token.characters.end));
  row.push_back(shown(text.substr(token.bytes.begin, token.bytes.end - token.bytes.begin)));
  return row;
}

std::string table_of(const TokenizedText& one) {
  std::vector<TextColumn> columns = {{"position", true}, {"id", true}, {"token"}};
  if (one.pair) columns.insert(columns.end(), {{"type", true}, {"of"}});
  columns.insert(columns.end(), {{"characters", true}, {"text"}});
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < one.tokens.size(); ++i) rows.push_back(row_of(one, i));
  return (one.window ? fmt::format("window {}\n", *one.window) : "") + text_table(columns, rows);
}

Json json_of(const TokenizedText& one) {
  Json json = {{"text", one.text}, {"ids", Json::array()}, {"tokens", Json::array()}};
  for (const Token& token : one.tokens) {
    json["ids"].push_back(token.id);
    json["tokens"].push_back(token.text);
  }
  if (one.is_decoded) return json;
  if (one.window) json["window"] = *one.window;
  json["offsets"] = Json::array();
  json["type_ids"] = Json::array();
  for (const Token& token : one.tokens) {
    json["offsets"].push_back({token.characters.begin, token.characters.end});
    json["type_ids"].push_back(token.type_id);
  }
  if (!one.pair) return json;
  json["pair"] = *one.pair;
  json["sequence_ids"] = Json::array();
  for (const Token& token : one.tokens) {
    json["sequence_ids"].push_back(token.special ? Json() : Json(token.in_second ? 1 : 0));
  }
  return json;
}

}  // namespace

TokenizeOutput::TokenizeOutput(std::string format, std::string model)
    : format_(std::move(format)), model_(std::move(model)) {}

void TokenizeOutput::add(const TokenizedText& one) {
  constexpr std::size_t kWaitingBytes = 1 << 16;
  if (format_ == "json") {
    list_.push_back(json_of(one));
    return;
  }
  if (format_ == "jsonl") {
    waiting_.append(json_of(one).dump()).append("\n");
  } else {
    waiting_.append(is_first_ ? "" : "\n").append(one.is_decoded ? table_of_decoded(one) : table_of(one));
  }
  is_first_ = false;
  if (waiting_.size() >= kWaitingBytes) write_out();
}

void TokenizeOutput::finish() {
  if (format_ == "json") waiting_ = Json{{"model", model_}, {"texts", list_}}.dump(2) + "\n";
  write_out();
}

void TokenizeOutput::write_out() {
  write_standard_output(waiting_);
  waiting_.clear();
}

}  // namespace transformeter
