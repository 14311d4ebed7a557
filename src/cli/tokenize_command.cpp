// `transformeter tokenize`: what a model's tokenizer makes of a text, and of ids.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/hub_connection.h"
#include "cli/interrupt.h"
#include "cli/option_values.h"
#include "cli/output_format.h"
#include "cli/tokenize_output.h"
#include "data/bundled_data.h"
#include "data/data_file.h"
#include "spec/presets.h"
#include "terms/settings.h"
#include "terms/status.h"
#include "text/chat_template.h"
#include "text/tokenizer_loader.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kFormats{"table", "json", "jsonl"};

constexpr const char* kExamples = R"(Examples:
  transformeter tokenize --model bert-base-uncased/ "Hello, world!"
      a folder with tokenizer.json, with vocab.json and merges.txt, with
      vocab.txt, or with sentencepiece's .model; no model is needed
  transformeter tokenize --model my-model --file reviews.txt --format jsonl
      one text a line, also packed by gzip; one JSON object a line
  printf 'one\ntwo' | transformeter tokenize --model my-model --file -
      - is the standard input
  transformeter tokenize --model bert/ "Who?" --pair "She." --max-length 9
      a pair of texts, cut to 9 tokens from the longer one first
  transformeter tokenize --model my-model "Who?" --pair "A long passage." \
    --max-length 16 --stride 4
      windows over the second text that share 4 of its tokens
  transformeter tokenize --model my-model --decode "101 7592 102"
      the text of ids; --file FILE takes those of one text a line
  transformeter tokenize --model qwen2-instruct/ --chat messages.json
      a conversation, [{"role": "user", "content": "Hello"}], as the chat
      template of the folder's tokenizer_config.json writes it, up to where the
      answer begins
  transformeter tokenize --model google-bert/bert-base-uncased "Hello"
      the tokenizer of a model on the hub, fetched into the cache when it is not
      there
  transformeter tokenize --model my-model -- "--what begins with a dash"

TEXT is always the text itself, --file and --chat are always files, so none is
guessed. Offsets count the characters (Unicode code points) of the text from 0,
the end not included, as Hugging Face does; tokens added around the text have
[0, 0].)";

std::string read_standard_input(const std::atomic<bool>& interrupt) {
  std::string text;
  std::string block(1 << 16, '\0');
  while (std::feof(stdin) == 0 && std::ferror(stdin) == 0) {
    text.append(block, 0, std::fread(block.data(), 1, block.size(), stdin));
  }
  check_interrupt(interrupt);  // a signal ends the reading, too
  if (std::ferror(stdin) != 0) throw Error(ErrorKind::kEnvironment, "cannot read the standard input");
  return text;
}

bool is_preset(const std::string& model) {
  const std::vector<std::string> presets = preset_names();
  return std::find(presets.begin(), presets.end(), model) != presets.end();
}

fs::path tokenizer_of(const std::string& model, const Context& context, const std::atomic<bool>& interrupt) {
  if (is_preset(model)) return bundled_vocabulary(context.data_directory);
  std::error_code code;
  if (fs::exists(model, code)) return model;
  if (const auto resolved = resolve_hub_model(context, interrupt, model, ModelParts::kTokenizer)) {
    return resolved->folder;
  }
  const auto near = nearest(model, preset_names());
  throw Error(
      ErrorKind::kBadInput,
      fmt::format("model '{}' is not known: it is neither a preset, nor a folder with tokenizer.json, vocab.txt "
                  "or a .model of sentencepiece, or with vocab.json and merges.txt, nor one of the files, nor "
                  "org/name of a model on the hub.{}",
                  model, near ? fmt::format(" Did you mean '{}'?", *near) : ""));
}

std::int64_t parse_count(std::string_view option, const std::string& text, std::int64_t smallest) {
  const auto count = parse_integer(text);
  if (count && *count >= smallest && *count <= std::numeric_limits<std::int32_t>::max()) return *count;
  throw bad_value(option, text, fmt::format("a whole number of tokens, at least {}", smallest));
}

// Numbers with blanks or commas between, as a list of Python or JSON too.
std::vector<std::int32_t> parse_ids(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ',' || c == '[' || c == ']' || c == '\t' || c == '\r'; }, ' ');
  std::vector<std::int32_t> ids;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    const auto id = parse_integer(word);
    if (!id || *id < 0 || *id > std::numeric_limits<std::int32_t>::max()) {
      throw bad_value("token id", excerpt(word), "whole numbers with blanks or commas between, as 101 7592 102");
    }
    ids.push_back(static_cast<std::int32_t>(*id));
  }
  return ids;
}

class TokenizeCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app = program.add_subcommand("tokenize", "show the token ids of a text");
    text_option_ = app->add_option("text", text_, "the text itself; with --decode its ids")->option_text("TEXT");
    const SettingTerm& model = setting_term("model");
    describe_values(*app->add_option("--model", model_,
                                     fmt::format("preset (the bundled vocabulary), a folder or file of a tokenizer, "
                                                 "or a model on the hub [{}]",
                                                 model.initial)),
                    "PRESET|DIR|FILE|NAME", {preset_names()});
    file_option_ = app->add_option("--file", file_, "texts from a file, one a line; -: the standard input");
    describe_values(*file_option_, "FILE|-");
    chat_option_ =
        app->add_option("--chat", chat_, "messages as a JSON array, put together by the model's chat template");
    describe_values(*chat_option_, "FILE|-");
    pair_option_ = app->add_option("--pair", pair_, "a second text, as of question and passage");
    describe_values(*pair_option_, "TEXT");
    max_length_option_ = app->add_option("--max-length", max_length_, "cut to so many tokens, special ones included");
    describe_values(*max_length_option_, "N");
    stride_option_ =
        app->add_option("--stride", stride_,
                        "of a pair longer than --max-length all windows over the second text, which share N tokens");
    describe_values(*stride_option_, "N");
    side_option_ =
        app->add_option("--truncation-side", side_, "where tokens are cut off [as the tokenizer's files say]");
    describe_values(*side_option_, "left|right");
    no_special_option_ =
        app->add_flag("--no-special-tokens", no_special_, "only the text's own tokens, without [CLS] and [SEP]");
    app->add_flag("--decode", decodes_, "ids in, text out");
    skip_special_option_ =
        app->add_flag("--skip-special-tokens", skips_special_, "with --decode: leave special tokens out of the text");
    add_format_option(*app, format_, kFormats);
    app->footer(kExamples);
    return app;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    check_use();
    const EncodeOptions options = encode_options();
    place_ = tokenizer_of(model_, context, interrupt);
    const std::unique_ptr<Tokenizer> tokenizer = load_tokenizer(place_);
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
  static bool is_given(const CLI::Option* option) { return option->count() > 0; }

  void check_use() const {
    if (text_option_->count() + file_option_->count() + chat_option_->count() != 1) {
      throw Error(ErrorKind::kBadInput,
                  "tokenize takes either TEXT, or --file FILE, or --chat FILE (- for the standard input)");
    }
    const auto refuse = [](const CLI::Option* option, bool fits, std::string_view why) {
      if (!is_given(option) || fits) return;
      throw Error(ErrorKind::kBadInput, fmt::format("{} {}", option->get_name(), why));
    };
    for (const CLI::Option* option :
         {chat_option_, pair_option_, max_length_option_, stride_option_, side_option_, no_special_option_}) {
      refuse(option, !decodes_, "is about texts to be encoded; --decode takes ids");
    }
    refuse(skip_special_option_, decodes_, "goes with --decode; --no-special-tokens adds none around a text");
    refuse(pair_option_, is_given(text_option_),
           "goes with TEXT, its first text; --file and --chat have one text each");
    refuse(side_option_, is_given(max_length_option_), "goes with --max-length; without it nothing is cut off");
    refuse(stride_option_, is_given(max_length_option_) && is_given(pair_option_),
           "goes with --pair, whose second text is cut into windows, and with --max-length, their length");
    refuse(side_option_, !is_given(stride_option_), "does not go with --stride: windows leave nothing out");
    refuse(no_special_option_, !is_given(stride_option_),
           "does not go with --stride: windows are as a model reads them");
    refuse(no_special_option_, !is_given(chat_option_), "does not go with --chat: a template writes its own tokens");
  }

  EncodeOptions encode_options() const {
    EncodeOptions options;
    options.add_special_tokens = !no_special_ && !is_given(chat_option_);
    if (is_given(max_length_option_)) options.max_length = parse_count("--max-length", max_length_, 1);
    if (!is_given(side_option_)) return options;
    if (side_ != "left" && side_ != "right") throw unknown_value("--truncation-side", side_, {"left", "right"});
    options.truncation_side = side_ == "left" ? Side::kLeft : Side::kRight;
    return options;
  }

  // Each with its place as errors begin with it, empty for a text of the command line.
  using VisitText = std::function<void(std::string text, const std::string& where)>;

  void for_each_text(const std::atomic<bool>& interrupt, const VisitText& visit) const {
    if (is_given(chat_option_)) return visit(read_chat(interrupt), "");
    if (!is_given(file_option_)) return visit(text_, "");
    if (file_ != "-") return visit_lines(DataFile(file_).text(), visit);
    const std::string text = read_standard_input(interrupt);
    if (text.empty()) throw Error(ErrorKind::kBadInput, "- holds no text");
    visit_lines(without_byte_order_mark(text), visit);
  }

  // A line break at the very end begins no further text.
  void visit_lines(std::string_view text, const VisitText& visit) const {
    std::size_t line = 0;
    for (std::size_t position = 0; position < text.size();) {
      visit(std::string(next_line(text, position)), fmt::format("{}:{}: ", file_, ++line));
    }
  }

  std::string read_chat(const std::atomic<bool>& interrupt) const {
    if (is_preset(model_)) {
      throw bad_value("--model", model_, "a preset has no chat template; --chat wants the folder of a model for chat");
    }
    const std::string text = chat_ == "-" ? read_standard_input(interrupt) : read_file(chat_);
    parse_json(chat_, text);  // for its checks; the members' order, which a template may write, is kept below
    const fs::path folder = fs::is_directory(place_) ? place_ : place_.parent_path();
    return render_chat(folder, {chat_, jinja::Value::parse(text)}, true);
  }

  std::vector<TokenizedText> work_on(const Tokenizer& tokenizer, std::string text, const EncodeOptions& options) const {
    if (decodes_) return {decode(tokenizer, std::move(text))};
    if (!is_given(pair_option_)) {
      std::vector<Token> tokens = tokenizer.tokenize(text, options);
      return {{std::move(text), std::nullopt, std::nullopt, std::move(tokens)}};
    }
    if (!is_given(stride_option_)) return {{text, pair_, std::nullopt, tokenizer.tokenize_pair(text, pair_, options)}};
    std::vector<TokenizedText> windows;
    const WindowOptions window{*options.max_length, parse_count("--stride", stride_, 0)};
    for (std::vector<Token>& tokens : tokenizer.tokenize_pair_windows(text, pair_, window)) {
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

  std::string text_;
  std::string model_ = std::string(setting_term("model").initial);
  fs::path place_;  // of the tokenizer's files
  std::string file_;
  std::string chat_;
  std::string pair_;
  std::string max_length_;
  std::string stride_;
  std::string side_;
  std::string format_;
  bool no_special_ = false;
  bool decodes_ = false;
  bool skips_special_ = false;
  CLI::Option* text_option_ = nullptr;
  CLI::Option* file_option_ = nullptr;
  CLI::Option* chat_option_ = nullptr;
  CLI::Option* pair_option_ = nullptr;
  CLI::Option* max_length_option_ = nullptr;
  CLI::Option* stride_option_ = nullptr;
  CLI::Option* side_option_ = nullptr;
  CLI::Option* no_special_option_ = nullptr;
  CLI::Option* skip_special_option_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> make_tokenize_command() {
  return std::make_unique<TokenizeCommand>();
}

}  // namespace transformeter
