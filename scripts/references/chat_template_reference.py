#!/usr/bin/env python3
"""Writes tests/data/tokenizers/chats.json: conversations as Transformers' apply_chat_template writes them.

    python3 -m venv /tmp/venv-hf && /tmp/venv-hf/bin/pip install transformers==5.23.0 jinja2
    /tmp/venv-hf/bin/python scripts/references/chat_template_reference.py SHARED_DATA

`templates`: those of SHARED_DATA/tokenizers/qwen2 and qwen2.5, and further ones written for this test in the manner of other
models. `cases`: template, messages, add_generation_prompt and the text, or null where the template raises an exception.
"""
import json
import pathlib
import sys

import transformers
from jinja2.exceptions import TemplateError
from tokenizers import Tokenizer, models

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "tests/data/tokenizers/chats.json"

OWN = {
    "headers": "{% set all = messages %}{% for m in all %}{% set text = '<|head|>' + m['role'] + '<|/head|>\n\n' + m['content'] "
               "| trim + '<|eot|>' %}{% if loop.index0 == 0 %}{% set text = bos_token + text %}{% endif %}{{ text }}"
               "{% endfor %}{% if add_generation_prompt %}{{ '<|head|>assistant<|/head|>\n\n' }}{% endif %}",
    "turns": "{%- if messages[0]['role'] == 'system' -%}\n  {%- set system = messages[0].content.strip() -%}\n"
             "  {%- set rest = messages[1:] -%}\n{%- else -%}\n  {%- set system = false -%}\n  {%- set rest = messages -%}\n"
             "{%- endif -%}\n{{ bos_token }}{% for m in rest %}\n  {% if (m.role == 'user') != (loop.index0 % 2 == 0) %}\n"
             "    {{ raise_exception('roles must alternate, not ' ~ m.role) }}\n  {% endif %}\n"
             "  {% if m.role == \"user\" and loop.first and system is not false %}\n[INST] <<{{ system }}>>\n\n"
             "{{ m.content }} [/INST]\n  {%- elif m.role == 'user' %}\n[INST] {{ m.content | trim }} [/INST]\n  {%- else %}\n"
             " {{ m['content'] | upper if m.content.startswith('!') else m['content'] }}{{ eos_token }}\n  {% endif %}\n"
             "{% endfor %}\n",
    "parts": "{# a comment -#}\n  {% for m in messages if m.content is string and m.content -%}\n"
             "    {{- '#' ~ loop.index ~ '/' ~ loop.length ~ (',' if not loop.last else '.') }}{{ m.role in ['x'] or m.role }}:\n"
             "    {{ m.name | tojson if m.name is defined else none }} {{ m.content|length - 1 }} {{ -3 % 2 }}\n"
             "  {%+ endfor %}\n{{ messages[-1].missing }}|{{ nothing }}|{{ messages[9] is undefined }}|{{ 'us' in messages[0].role }}"
             "|{{ 'a' < 'b' and 3 >= 4 }}|{{ not 'q' not in 'qq' }}|{{ \"it's\\t\" 'two' }}\n\n".replace("in ['x'] or m.role", "== 'y' or m.role"),
}
CHATS = [
    [{"role": "user", "content": "Hello"}],
    [{"role": "system", "content": " Be brief. "}, {"role": "user", "content": "  2 + 2?\n"}],
    [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "!hello"}, {"role": "user", "content": "名前は?"}],
    [{"role": "system", "content": "S"}, {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"},
     {"role": "user", "content": "c"}, {"role": "assistant", "content": ""}],
    [{"role": "user", "content": "x"}, {"role": "user", "content": "y"}],
    [{"role": "user", "content": "\u00a0 nbsp \u3000"}, {"role": "tool", "content": "{\"t\": 1}"}, {"role": "tool", "content": "2"}],
    [{"role": "user", "content": "weather?"},
     {"role": "assistant", "content": "", "tool_calls": [
         {"type": "function", "function": {"name": "get", "arguments": {"z": [1, 2.5, None], "a": "K\u00f6ln \"<&>\""}}}]},
     {"role": "tool", "content": "sun"}, {"role": "assistant", "content": "It's sunny", "name": "bot"}],
]


def main():
    shared = pathlib.Path(sys.argv[1])
    templates = {name: json.loads((shared / f"tokenizers/{name}/tokenizer_config.json").read_text("utf-8"))["chat_template"]
                 for name in ("qwen2", "qwen2.5")}
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordLevel({"a": 0}, unk_token="a")), bos_token="<s>", eos_token="</s>")
    cases = []
    for name, template in {**templates, **OWN}.items():
        for messages in CHATS:
            for prompt in (False, True):
                try:
                    text = tokenizer.apply_chat_template(messages, chat_template=template, tokenize=False,
                                                         add_generation_prompt=prompt)
                except TemplateError as error:
                    print(name, "raises", error)
                    text = None
                cases.append({"template": name, "messages": messages, "add_generation_prompt": prompt, "text": text})
    OUTPUT.write_text(json.dumps({"made_by": f"transformers {transformers.__version__}", "templates": OWN, "cases": cases},
                                 ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
