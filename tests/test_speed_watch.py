"""The page of the spe_ed server in a real browser: running boards, finished games, a server that is away."""

import asyncio
import os
import shutil

import pytest

from speed_clients import hosting, plain, run

playwright = pytest.importorskip(
    "playwright.async_api", reason="these tests need playwright: pip install spielwerk[dev]"
)

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PATIENCE = 100_000  # milliseconds


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_the_page_follows_the_games(width, scheme):
    chosen = os.environ.get("SPIELWERK_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    problems = []

    async def watch():
        async with playwright.async_playwright() as engine:
            try:
                browser = await engine.chromium.launch(executable_path=chosen, args=FLAGS)
            except playwright.Error as problem:
                pytest.skip(f"no Chromium can be started here: {str(problem).splitlines()[0]}")
            page = await browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
            page.set_default_timeout(PATIENCE)
            page.on("pageerror", lambda problem: problems.append(str(problem)))
            page.on("console", lambda told: problems.append(told.text) if told.type == "error" else None)
            async with hosting() as server:
                await page.goto(f"{server.page}/")
                await page.get_by_text("No game is running").wait_for()
                async with plain(server, "k1") as one:
                    await page.get_by_text("a lobby waits with 1 of 2 players").wait_for()
                    async with plain(server, "k2") as two:
                        await page.get_by_text("0 rounds · 2 of 2 in · 20 × 16").wait_for()
                        await page.locator("figure svg").wait_for()
                        for client in (one, two):
                            await client.state()
                            await client.say("change_nothing")
                        await page.locator("figure[data-round='1'] svg").wait_for()
                        await one.say("nonsense")
                        await two.say("change_nothing")
                        await asyncio.gather(one.ended(), two.ended())
                winner = two.last["players"]["2"]["name"]
                await page.locator("td[data-title='Won by']", has_text=winner).wait_for()
                assert await page.locator("figure").count() == 0
                links = [await link.get_attribute("href") for link in await page.locator("td.links a").all()]
                assert links == ["games/1.svg", "games/1.json", "games/1.record.json"]
                assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
                assert await page.evaluate("document.documentElement.dataset.theme") == scheme
                assert problems == []
            await page.get_by_text("The server does not answer; trying again").wait_for()
            await browser.close()

    run(watch())
