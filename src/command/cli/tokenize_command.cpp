// `transformeter tokenize`: a text's tokens, and the text of token IDs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/find_tokenizer.h"
#include "cli/interrupt.h"
#include "cli/output_format.h"
#include "cli/tokenize_output.h"
#include "datasets/data_file.h"
#include "schema/settings.h"
#include "schema/status.h"
#include "spec/presets.h"
#include "tokenizers/chat_template.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kFormats{"table", "json", "jsonl"};

constexpr UsageExample kExamples[] = {
    {"transformeter tokenize --model bert-base-uncased/ \"Hello, world!\"",
     "a folder with tokenizer.json, with vocab.json and merges.txt, with vocab.txt, or with a sentencepiece .model; "
     "weights are not needed"},
    {"transformeter tokenize --model my-model --file reviews.txt --format jsonl",
     "one text per line, also gzipped; prints one JSON object per line"},
    {"printf 'one\\ntwo' | transformeter tokenize --model my-model --file -", "read standard input"},
    {"transformeter tokenize --model bert/ \"Who?\" --pair \"She.\" --max-length 9",
     "a pair of texts, truncated to 9 tokens, the longer text first"},
    {"transformeter tokenize --model my-model \"Who?\" --pair \"A long passage.\" \\\n    --max-length 16 --stride 4",
     "windows over the second text that share 4 of its tokens"},
    {"transformeter tokenize --model my-model --decode \"101 7592 102\"",
     "the text of token IDs; with --file those of one text per line"},
    {"transformeter tokenize --model qwen2-instruct/ --chat messages.json",
     "a conversation, [{\"role\": \"user\", \"content\": \"Hello\"}], formatted by the chat template in the folder's "
     "tokenizer_config.json, up to where the answer begins"},
    {"transformeter tokenize --model google-bert/bert-base-uncased \"Hello\"",
     "the tokenizer of a model on the Hub, fetched into the cache if missing"},
    {"transformeter tokenize --model my-model -- \"--what begins with a dash\""},
};
constexpr const char* kNotes[] = {
    "TEXT is always the text itself; --file and --chat always name files. Token IDs are identical to Hugging Face. "
    "Offsets count characters (Unicode code points) from 0, end excluded, as in Hugging Face; tokens added around the "
    "text have [0, 0].",
};

std::string read_standard_input(const std::atomic<bool>& interrupt) {
  std::string text;
  std::string block(1 << 16, '\0');
  while (std::feof(stdin) == 0 && std::ferror(stdin) == 0) {
    text.append(block, 0, std::fread(block.data(), 1, block.size(), stdin));
  }
  check_interrupt(interrupt);  // a signal ends the reading, too
  if (std::ferror(stdin) != 0) throw Error(ErrorKind::kEnvironment, "cannot read standard input");
  return text;
}

std::int64_t parse_count(std::string_view option, const std::string& text, std::int64_t smallest) {
  const auto count = parse_integer(text);
  if (count && *count >= smallest && *count <= std::numeric_limits<std::int32_t>::max()) return *count;
  throw bad_value(option, text, fmt::format("a whole number of tokens, at least {}", smallest));
}

// Numbers separated by blanks or commas, also as a Python or JSON list.
std::vector<std::int32_t> parse_ids(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ',' || c == '[' || c == ']' || c == '\t' || c == '\r'; }, ' ');
  std::vector<std::int32_t> ids;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    const auto id = parse_integer(word);
    if (!id || *id < 0 || *id > std::numeric_limits<std::int32_t>::max()) {
      throw bad_value("token id", excerpt(word), "whole numbers separated by blanks or commas, e.g. 101 7592 102");
    }
    ids.push_back(static_cast<std::int32_t>(*id));
  }
  return ids;
}

class TokenizeCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "tokenize",
            .task = CommandTask::kModels,
            .summary = "show the tokens and token IDs of a text",
            .options = {{.names = {"text"},
                         .target = &text_,
                         .placeholder = "TEXT",
                         .help = "the text itself; with --decode its token IDs",
                         .may_be_empty = true},
                        {.names = {"--model"},
                         .target = &model_,
                         .placeholder = "PRESET|DIR|FILE|NAME",
                         .help = "preset (bundled vocabulary), tokenizer folder or file, or model on the Hub",
                         .initial = model_,
                         .words = preset_names()},
                        {.names = {"--file"},
                         .target = &file_,
                         .placeholder = "FILE|-",
                         .help = "file with one text per line; - for standard input"},
                        {.names = {"--chat"},
                         .target = &chat_,
                         .placeholder = "FILE|-",
                         .help = "messages as a JSON array, formatted by the model's chat template"},
                        {.names = {"--pair"},
                         .target = &pair_,
                         .placeholder = "TEXT",
                         .help = "second text of a pair, e.g. the passage to a question",
                         .may_be_empty = true},
                        {.names = {"--max-length"},
                         .target = &max_length_,
                         .placeholder = "N",
                         .help = "truncate to this many tokens, special tokens included"},
                        {.names = {"--truncate"},
                         .target = &truncates_,
                         .help = "truncate to the model_max_length of tokenizer_config.json, if it has one"},
                        {.names = {"--stride"},
                         .target = &stride_,
                         .placeholder = "N",
                         .help = "split a pair longer than --max-length into windows that share N tokens"},
                        {.names = {"--truncation-side"},
                         .target = &side_,
                         .placeholder = "left|right",
                         .help = "side to truncate; default: as the tokenizer's files say"},
                        {.names = {"--no-special-tokens"},
                         .target = &no_special_,
                         .help = "add no special tokens such as [CLS] and [SEP]"},
                        {.names = {"--decode"}, .target = &decodes_, .help = "turn token IDs into text"},
                        {.names = {"--skip-special-tokens"},
                         .target = &skips_special_,
                         .help = "with --decode: leave special tokens out of the text"},
                        format_option(format_, kFormats)},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    check_use();
    EncodeOptions options = encode_options();
    place_ = find_tokenizer(model_, context, interrupt);
    const std::unique_ptr<Tokenizer> tokenizer = load_tokenizer(place_);
    if (truncates_) options.max_length = tokenizer->traits().max_length;
    TokenizeOutput output(format_, model_);
    for_each_text(interrupt, [&](std::string text, const std::string& where) {
      check_interrupt(interrupt);
      try {
        for (const TokenizedText& one : work_on(*tokenizer, std::move(text), options)) output.add(one);
      } catch (const Error& error) {
        throw Error(error.kind(), where + error.what());
      }
    });
    output.finish();
    return kExitOk;
  }

 private:
  void check_use() const {
    if (int{text_.has_value()} + int{file_.has_value()} + int{chat_.has_value()} != 1) {
      throw Error(ErrorKind::kBadInput,
                  "tokenize needs either TEXT, or --file FILE, or --chat FILE (- for standard input)");
    }
    const auto refuse = [](const char* option, bool is_given, bool fits, std::string_view why) {
      if (is_given && !fits) throw Error(ErrorKind::kBadInput, fmt::format("{} {}", option, why));
    };
    const bool has_max = max_length_.has_value();
    const bool has_stride = stride_.has_value();
    const std::pair<const char*, bool> encoding[] = {
        {"--chat", chat_.has_value()},       {"--pair", pair_.has_value()}, {"--max-length", has_max},
        {"--truncate", truncates_},          {"--stride", has_stride},      {"--truncation-side", side_.has_value()},
        {"--no-special-tokens", no_special_}};
    for (const auto& [option, is_given] : encoding) {
      refuse(option, is_given, !decodes_, "applies to texts; --decode takes token IDs");
    }
    refuse("--skip-special-tokens", skips_special_, decodes_, "needs --decode; to add none, use --no-special-tokens");
    refuse("--pair", pair_.has_value(), text_.has_value(), "needs TEXT as the first text; it cannot go with a file");
    refuse("--truncate", truncates_, !has_max, "cannot go with --max-length, which sets another length");
    refuse("--truncation-side", side_.has_value(), has_max || truncates_,
           "needs --max-length or --truncate; without them nothing is truncated");
    refuse("--stride", has_stride, has_max && pair_.has_value(), "needs --pair and --max-length, the windows' length");
    refuse("--truncation-side", side_.has_value(), !has_stride, "cannot go with --stride: windows truncate nothing");
    refuse("--no-special-tokens", no_special_, !has_stride, "cannot go with --stride: a model reads windows with them");
    refuse("--no-special-tokens", no_special_, !chat_, "cannot go with --chat: the template writes special tokens");
  }

  EncodeOptions encode_options() const {
    EncodeOptions options;
    options.add_special_tokens = !no_special_ && !chat_;
    if (max_length_) options.max_length = parse_count("--max-length", *max_length_, 1);
    if (!side_) return options;
    if (side_ != "left" && side_ != "right") throw unknown_value("--truncation-side", *side_, {"left", "right"});
    options.truncation_side = side_ == "left" ? Side::kLeft : Side::kRight;
    return options;
  }

  // Each with its place as errors begin with it, empty for a text of the command line.
  using VisitText = std::function<void(std::string text, const std::string& where)>;

  void for_each_text(const std::atomic<bool>& interrupt, const VisitText& visit) const {
    if (chat_) return visit(read_chat(interrupt), "");
    if (!file_) return visit(*text_, "");
    if (*file_ != "-") return visit_lines(DataFile(*file_).text(), visit);
    const std::string text = read_standard_input(interrupt);
    if (text.empty()) throw Error(ErrorKind::kBadInput, "standard input is empty");
    visit_lines(without_byte_order_mark(text), visit);
  }

  // A line break at the very end begins no further text.
  void visit_lines(std::string_view text, const VisitText& visit) const {
    std::size_t line = 0;
    for (std::size_t position = 0; position < text.size();) {
      visit(std::string(next_line(text, position)), fmt::format("{}:{}: ", *file_, ++line));
    }
  }

  std::string read_chat(const std::atomic<bool>& interrupt) const {
    if (is_preset(model_)) {
      throw refused_value("--model", model_, "presets have no chat template; use the folder of a chat model");
    }
    const std::string text = *chat_ == "-" ? read_standard_input(interrupt) : read_file(*chat_);
    parse_json(*chat_, text);  // for its checks; the members' order, which a template may write, is kept below
    const fs::path folder = fs::is_directory(place_) ? place_ : place_.parent_path();
    return render_chat(folder, {*chat_, jinja::Value::parse(text)}, true);
  }

  std::vector<TokenizedText> work_on(const Tokenizer& tokenizer, std::string text, const EncodeOptions& options) const {
    if (decodes_) return {decode(tokenizer, std::move(text))};
    if (!pair_) {
      std::vector<Token> tokens = tokenizer.tokenize(text, options);
      return {{std::move(text), std::nullopt, std::nullopt, std::move(tokens)}};
    }
    if (!stride_) return {{text, pair_, std::nullopt, tokenizer.tokenize_pair(text, *pair_, options)}};
    std::vector<TokenizedText> windows;
    const WindowOptions window{*options.max_length, parse_count("--stride", *stride_, 0)};
    for (std::vector<Token>& tokens : tokenizer.tokenize_pair_windows(text, *pair_, window)) {
      windows.push_back({text, pair_, windows.size(), std::move(tokens)});
    }
    return windows;
  }

  TokenizedText decode(const Tokenizer& tokenizer, std::string text) const {
    const std::vector<std::int32_t> ids = parse_ids(std::move(text));
    TokenizedText result;
    result.is_decoded = true;
    result.text = tokenizer.decode(ids, skips_special_);
    for (const std::int32_t id : ids) {
      Token& token = result.tokens.emplace_back();
      token.id = id;
      token.text = tokenizer.token(id);
    }
    return result;
  }

  std::optional<std::string> text_;
  std::string model_ = std::string(setting_term("model").initial);
  fs::path place_;  // of the tokenizer's files
  std::optional<std::string> file_;
  std::optional<std::string> chat_;
  std::optional<std::string> pair_;
  std::optional<std::string> max_length_;
  std::optional<std::string> stride_;
  std::optional<std::string> side_;
  std::string format_;
  bool truncates_ = false;
  bool no_special_ = false;
  bool decodes_ = false;
  bool skips_special_ = false;
};

}  // namespace

std::unique_ptr<Command> make_tokenize_command() {
  return std::make_unique<TokenizeCommand>();
}

}  // namespace transformeter
